"""Odds ratios by statsmodels; average effects and predictions by marginaleffects; the chart by matplotlib."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from marginaleffects import avg_comparisons, avg_predictions

people = pd.read_csv("../data/adult.csv.gz", na_values="?", nrows=5000).dropna()
people.columns = people.columns.str.replace("-", "_")
people["sex"] = people["sex"].astype("category")
people["rich"] = (people["income"] == ">50K").astype(int)
model = smf.logit("rich ~ sex * age + education_num + hours_per_week", people).fit(disp=False)
ratios = np.exp(pd.concat([model.params, model.conf_int()], axis=1))
print(ratios.assign(p=model.pvalues))
effects = avg_comparisons(model, variables=["sex", "age", "education_num", "hours_per_week"]).to_pandas()
print(effects)
fig, ax = plt.subplots()
ends = [effects["estimate"] - effects["conf_low"], effects["conf_high"] - effects["estimate"]]
ax.errorbar(effects["estimate"], range(len(effects)), xerr=ends, fmt="o")
ax.set_yticks(range(len(effects)), effects["term"])
ax.axvline(0.0, linestyle="--")
print(avg_predictions(model, variables={"age": [30, 45, 60], "sex": ["Female", "Male"]}, by=["age", "sex"]))
for age in (30, 45, 60):
    print(age, avg_comparisons(model, variables="sex", newdata=people.assign(age=age)))
