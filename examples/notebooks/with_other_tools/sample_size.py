"""A learning curve with a power law, and rows for a test set, by scikit-learn and scipy."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import curve_fit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, learning_curve

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(600, 8)))
y = np.where(X[0] - X[1] + rng.normal(size=600) > 0, "left", "stayed")
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
sizes, _, scores = learning_curve(
    LogisticRegression(), X, y, train_sizes=np.linspace(0.125, 1.0, 4), cv=folds, scoring="neg_log_loss"
)
loss = -scores
half = stats.t.ppf(0.975, 14) * np.sqrt((1 / 15 + 1 / 4) * loss.var(axis=1, ddof=1))
fig, ax = plt.subplots()
ax.fill_between(sizes, loss.mean(axis=1) - half, loss.mean(axis=1) + half, alpha=0.2)
ax.plot(sizes, loss.mean(axis=1))
ax.set_xlabel("training rows")
ax.set_ylabel("log-loss")


def law(n, floor, scale, power):
    return floor + scale * n**-power


found, V = curve_fit(law, sizes, loss.mean(axis=1), p0=[0.4, 1.0, 0.7], maxfev=20000)
draws = np.random.default_rng(0).multivariate_normal(found, V, 2000)
for factor in (2.0, 4.0):
    gain = [law(600, *d) - law(600 * factor, *d) for d in draws]
    print(factor, law(600, *found) - law(600 * factor, *found), np.nanquantile(gain, [0.025, 0.975]))
for n in range(100, 2000):
    k = round(0.1 * n)
    low, high = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
    if max(high - 0.1, 0.1 - low) <= 0.03:
        break
print(n, np.ceil(np.log(2 / 0.05) / (2 * 0.03**2)))
