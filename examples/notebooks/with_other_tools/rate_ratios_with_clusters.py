"""Rate ratios with clinics as clusters by statsmodels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

rng = np.random.default_rng(4)
clinic = np.repeat(np.arange(40), 15)
patients = pd.DataFrame({"programme": rng.integers(0, 2, 40)[clinic], "age": rng.normal(75, 7, 600).round()})
years = rng.uniform(0.5, 3.0, 600).round(2)
rate = np.exp(-4.0 - 0.4 * patients["programme"] + 0.05 * patients["age"] + 0.3 * rng.normal(size=40)[clinic])
falls = rng.poisson(rate * years)
X = sm.add_constant(patients)
model = sm.GLM(falls, X, family=sm.families.Poisson(), exposure=years)
fit = model.fit(cov_type="cluster", cov_kwds={"groups": clinic})
units = pd.Series({"programme": 1, "age": 10})
t = stats.t.ppf(0.975, 39)
coef, se = fit.params[units.index] * units, fit.bse[units.index] * units
ratios = pd.DataFrame(
    {
        "ratio": np.exp(coef),
        "low": np.exp(coef - t * se),
        "high": np.exp(coef + t * se),
        "p": fit.pvalues[units.index],
    }
)
print(ratios)
fig, ax = plt.subplots()
place = range(len(ratios))
ax.errorbar(
    ratios["ratio"], place, xerr=[ratios["ratio"] - ratios["low"], ratios["high"] - ratios["ratio"]], fmt="o"
)
ax.set_yticks(place, ratios.index)
ax.set_xscale("log")
ax.axvline(1.0, linestyle="--")
V, means = fit.cov_params().to_numpy(), []
for value in (0, 1):
    rows = X.assign(programme=value).to_numpy()
    mean = np.exp(rows @ fit.params.to_numpy())
    slope = (mean[:, None] * rows).mean(axis=0)
    error = np.sqrt(slope @ V @ slope)
    means.append([value, mean.mean(), mean.mean() - t * error, mean.mean() + t * error])
print(pd.DataFrame(means, columns=["programme", "mean", "low", "high"]))
