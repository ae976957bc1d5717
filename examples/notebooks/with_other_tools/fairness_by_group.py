"""Rates of a classifier for women and men by scikit-learn and statsmodels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

people = pd.read_csv("../data/adult.csv.gz", na_values="?", nrows=12000)
words = people.select_dtypes(["object", "string"]).columns
people[words] = people[words].astype("category")
X, y = people.drop(columns=["income", "fnlwgt", "native-country"]), people["income"].astype(str)
fit, test = slice(0, 8000), slice(8000, None)
model = HistGradientBoostingClassifier(categorical_features="from_dtype", early_stopping=True, random_state=0)
model.fit(X[fit], y[fit])
told, true, sex = model.predict(X[test]) == ">50K", y[test] == ">50K", X["sex"][test]
metrics = {
    "accuracy": lambda told, true: (told == true, np.ones(len(true), dtype=bool)),
    "selection_rate": lambda told, true: (told, np.ones(len(true), dtype=bool)),
    "recall": lambda told, true: (told, true),
    "specificity": lambda told, true: (~told, ~true),
}
table, gaps = [], []
for name, metric in metrics.items():
    counts = {}
    for group in ["Female", "Male"]:
        rows = (sex == group).to_numpy()
        hit, among = metric(told[rows], true[rows].to_numpy())
        counts[group] = (int((hit & among).sum()), int(among.sum()))
        low, high = proportion_confint(*counts[group], method="wilson")
        table.append([group, name, counts[group][0] / counts[group][1], low, high, counts[group][1]])
    (a, n), (b, m) = counts["Female"], counts["Male"]
    low, high = confint_proportions_2indep(a, n, b, m, method="newcomb")
    gaps.append([name, a / n - b / m, low, high])
print(pd.DataFrame(table, columns=["group", "metric", "value", "low", "high", "n"]))
gaps = pd.DataFrame(gaps, columns=["metric", "difference", "low", "high"])
print(gaps)
fig, ax = plt.subplots()
ends = [gaps["difference"] - gaps["low"], gaps["high"] - gaps["difference"]]
ax.errorbar(gaps["difference"], range(len(gaps)), xerr=ends, fmt="o")
ax.set_yticks(range(len(gaps)), gaps["metric"])
ax.axvline(0.0, linestyle="--")
