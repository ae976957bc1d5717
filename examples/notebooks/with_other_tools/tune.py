"""Tuning of boosting and a nested score with scikit-learn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, RandomizedSearchCV, cross_val_score

wine = pd.read_csv("../data/winequality-red.csv", sep=";")
X, y = wine.drop(columns="quality"), wine["quality"]
space = {
    "learning_rate": stats.loguniform(0.01, 0.3),
    "max_leaf_nodes": stats.randint(4, 64),
    "min_samples_leaf": stats.randint(5, 60),
    "l2_regularization": stats.loguniform(1e-3, 10),
}
search = RandomizedSearchCV(
    HistGradientBoostingRegressor(max_iter=2000, early_stopping=True, random_state=0),
    space,
    n_iter=40,
    scoring="neg_mean_squared_error",
    cv=KFold(5, shuffle=True, random_state=0),
    random_state=0,
)
search.fit(X, y)
trials = pd.DataFrame(search.cv_results_).sort_values("rank_test_score")
print(trials[["params", "mean_test_score", "std_test_score"]].head(10))
nested = -cross_val_score(
    search, X, y, cv=KFold(5, shuffle=True, random_state=1), scoring="neg_mean_squared_error"
)
half = stats.t.ppf(0.975, 4) * np.sqrt((1 / 5 + 1 / 4) * nested.var(ddof=1))
print(nested.mean(), nested.mean() - half, nested.mean() + half)
fig, ax = plt.subplots()
ax.errorbar(range(len(trials)), -trials["mean_test_score"], yerr=trials["std_test_score"], fmt="o")
ax.set_xlabel("trial, from the best")
ax.set_ylabel("mean squared error")
print(search.best_estimator_)
