"""Conformal intervals of a forest by scikit-learn and MAPIE."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from mapie.metrics.regression import regression_coverage_score, regression_mean_width_score
from mapie.regression import SplitConformalRegressor
from sklearn.ensemble import RandomForestRegressor
from statsmodels.stats.proportion import proportion_confint

wine = pd.read_csv("../data/winequality-red.csv", sep=";").sample(frac=1, random_state=0)
X, y = wine.drop(columns="quality"), wine["quality"]
fit, calibrate, test = slice(0, 800), slice(800, 1200), slice(1200, None)
forest = RandomForestRegressor(300, random_state=0).fit(X[fit], y[fit])
model = SplitConformalRegressor(forest, confidence_level=0.9, prefit=True)
model.conformalize(X[calibrate], y[calibrate])
value, ends = model.predict_interval(X[test])
low, high = ends[:, 0, 0], ends[:, 1, 0]
print(pd.DataFrame({"value": value, "low": low, "high": high}).head(10))
order = np.argsort(value)
fig, ax = plt.subplots()
ax.vlines(range(len(value)), low[order], high[order], alpha=0.3)
ax.plot(range(len(value)), value[order], ".")
ax.set_xlabel("rows, in the order of their predictions")
ax.set_ylabel("quality")
inside = int(((low <= y[test]) & (y[test] <= high)).sum())
print(regression_coverage_score(y[test], ends), proportion_confint(inside, len(value), method="wilson"))
width = high - low
half = 1.96 * width.std(ddof=1) / np.sqrt(len(width))
print(regression_mean_width_score(ends), width.mean() - half, width.mean() + half)
