"""A table of three count models and tests of groups of columns by statsmodels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.iolib.summary2 import summary_col
from statsmodels.stats.multitest import multipletests

visits = pd.read_csv("../data/visits.csv")
texts = ["lncoins + idp", "lncoins + idp + disea", "lncoins + idp + disea + physlm + hlthg + hlthf + hlthp"]
models = [
    smf.glm(f"mdvis ~ {text}", visits, family=sm.families.Poisson()).fit(cov_type="HC1") for text in texts
]
facts = {
    "n": lambda m: f"{int(m.nobs)}",
    "deviance": lambda m: f"{m.deviance:.0f}",
    "AIC": lambda m: f"{m.aic:.0f}",
}
table = summary_col(models, model_names=["plan", "illness", "health"], info_dict=facts, float_format="%.4f")
print(table)
print(table.as_latex())
names = list(models[2].params.index)
fig, ax = plt.subplots()
for k, (name, m) in enumerate(zip(["plan", "illness", "health"], models, strict=True)):
    place = [names.index(term) + 0.2 * k for term in m.params.index]
    ax.errorbar(m.params, place, xerr=1.96 * m.bse, fmt="o", label=name)
ax.set_yticks(range(len(names)), names)
ax.legend()
groups = {"plan": ["lncoins", "idp"], "own words": ["hlthg", "hlthf", "hlthp"]}
rows = []
for name, columns in groups.items():
    R = np.array([[float(term == c) for term in names] for c in columns])
    test = models[2].wald_test(R, use_f=False, scalar=True)
    rows.append([name, len(columns), float(test.statistic), float(test.pvalue)])
tests = pd.DataFrame(rows, columns=["term", "df", "chi2", "p"])
tests["p"] = multipletests(tests["p"], method="holm")[1]
print(tests)
