"""Five models on the same folds with scikit-learn, differences by the corrected t test."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import RepeatedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

wine = pd.read_csv("../data/winequality-red.csv", sep=";")
X, y = wine.drop(columns="quality"), wine["quality"]
models = {
    "mean": DummyRegressor(),
    "ridge": make_pipeline(StandardScaler(), RidgeCV()),
    "tree": DecisionTreeRegressor(min_samples_leaf=20),
    "forest": RandomForestRegressor(100, random_state=0),
    "boosting": HistGradientBoostingRegressor(random_state=0),
}
folds = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
scoring = {"mae": "neg_mean_absolute_error", "mse": "neg_mean_squared_error"}
found = {name: cross_validate(m, X, y, cv=folds, scoring=scoring) for name, m in models.items()}
losses = {k: pd.DataFrame({name: -s[f"test_{k}"] for name, s in found.items()}) for k in scoring}


def corrected(d, tests=1):
    half = stats.t.ppf(1 - 0.025 / tests, len(d) - 1) * np.sqrt((1 / len(d) + 0.25) * d.var(ddof=1))
    return d.mean(), d.mean() - half, d.mean() + half


pairs = list(combinations(models, 2))
for loss in losses.values():
    print(pd.DataFrame({m: corrected(loss[m]) for m in loss}, index=["value", "low", "high"]).T)
    best = loss.mean().idxmin()
    for other in [best, "mean"]:
        rest = {m: corrected(loss[m] - loss[other], len(pairs)) for m in loss if m != other}
        print(pd.DataFrame(rest, index=[f"less {other}", "low", "high"]).T)
table = pd.DataFrame({m: corrected(losses["mae"][m]) for m in models}, index=["value", "low", "high"]).T
fig, ax = plt.subplots()
ends = [table["value"] - table["low"], table["high"] - table["value"]]
ax.errorbar(table["value"], range(len(table)), xerr=ends, fmt="o")
ax.set_yticks(range(len(table)), table.index)
ax.set_xlabel("mean absolute error")
