"""What a booster does with its columns: shap, scikit-learn, and a bootstrap for the bands."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import shap
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.inspection import partial_dependence

people = pd.read_csv("../data/adult.csv.gz", na_values="?", nrows=8000)
words = people.select_dtypes(["object", "string"]).columns.drop("income")
people[words] = people[words].astype("category")
X, y = people.drop(columns=["income", "fnlwgt"]), people["income"]
X[words] = X[words].apply(lambda c: c.cat.codes).replace(-1, np.nan)
X["age"] = X["age"].astype(float)
model = HistGradientBoostingClassifier(early_stopping=True, random_state=0).fit(X, y)
values = shap.TreeExplainer(model)(X.head(2000))
size = np.abs(values.values)
half = 1.96 * size.std(axis=0, ddof=1) / np.sqrt(len(size))
table = pd.DataFrame(
    {"size": size.mean(axis=0), "low": size.mean(axis=0) - half, "high": size.mean(axis=0) + half}
)
print(table.set_index(X.columns).sort_values("size", ascending=False))
shap.plots.beeswarm(values, show=False)
plt.figure()
shap.plots.waterfall(values[7], show=False)
curve = partial_dependence(model, X.head(2000), ["age"], kind="individual", method="brute")
place, rows = curve["grid_values"][0], curve["individual"][0]
rng = np.random.default_rng(0)
draws = [rows[rng.integers(0, len(rows), len(rows))].mean(axis=0) for _ in range(500)]
low, high = np.quantile(draws, [0.025, 0.975], axis=0)
fig, ax = plt.subplots()
ax.fill_between(place, low, high, alpha=0.2)
ax.plot(place, rows.mean(axis=0))
ax.set_xlabel("age")
