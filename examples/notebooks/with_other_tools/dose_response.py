"""A dose-response curve with its band by statsmodels and matplotlib."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm

dose = [1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839]
beetles = np.array([59, 60, 62, 56, 63, 59, 62, 60])
killed = np.array([6, 13, 18, 28, 52, 53, 61, 60])
X = sm.add_constant(pd.DataFrame({"dose": dose}))
links = {"logit": sm.families.links.Logit(), "cloglog": sm.families.links.CLogLog()}
models = {
    name: sm.GLM(killed / beetles, X, family=sm.families.Binomial(link), var_weights=beetles).fit()
    for name, link in links.items()
}
table = {
    name: [*(f"{b:.2f} ({s:.2f})" for b, s in zip(m.params, m.bse, strict=True)), m.deviance, m.aic]
    for name, m in models.items()
}
print(pd.DataFrame(table, index=["intercept", "dose", "deviance", "AIC"]))
grid = pd.DataFrame({"dose": np.linspace(1.68, 1.90, 60)})
band = models["cloglog"].get_prediction(sm.add_constant(grid)).summary_frame(alpha=0.05)
fig, ax = plt.subplots()
ax.fill_between(grid["dose"], band["mean_ci_lower"], band["mean_ci_upper"], alpha=0.2)
ax.plot(grid["dose"], band["mean"])
ax.plot(dose, killed / beetles, "o")
ax.set_xlabel("dose")
ax.set_ylabel("share killed")
ax.set_title("95 % confidence intervals of the mean")
