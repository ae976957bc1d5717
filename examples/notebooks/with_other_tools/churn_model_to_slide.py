"""A churn model and its slide with scikit-learn, shap and matplotlib."""

import numpy as np
import pandas as pd
import shap
from sklearn.calibration import CalibrationDisplay
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import RocCurveDisplay, accuracy_score, brier_score_loss, f1_score, roc_auc_score

rng = np.random.default_rng(1)
n = 4000
customers = pd.DataFrame(
    {
        "months": rng.integers(1, 72, n),
        "contract": pd.Categorical(rng.choice(["monthly", "yearly", "two years"], n, p=[0.6, 0.2, 0.2])),
        "charge": np.where(rng.random(n) < 0.05, np.nan, rng.normal(65, 25, n).round(2)),
        "calls": rng.poisson(1.5, n),
    }
)
score = (
    -1.0 - 0.03 * customers["months"] + 1.2 * (customers["contract"] == "monthly") + 0.4 * customers["calls"]
)
churn = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "left", "stayed")
fit, test = slice(0, 3000), slice(3000, None)
model = HistGradientBoostingClassifier(categorical_features="from_dtype", early_stopping=True, random_state=0)
model.fit(customers[fit], churn[fit])
y = (churn[test] == "left").astype(int)
p = model.predict_proba(customers[test])[:, list(model.classes_).index("left")]
metrics = {
    "accuracy": lambda y, p: accuracy_score(y, p > 0.5),
    "f1": lambda y, p: f1_score(y, p > 0.5),
    "roc_auc": roc_auc_score,
    "brier": brier_score_loss,
}
rows = [rng.integers(0, len(y), len(y)) for _ in range(1000)]
scores = {}
for name, metric in metrics.items():
    draws = [metric(y[r], p[r]) for r in rows]
    scores[name] = [metric(y, p), *np.quantile(draws, [0.025, 0.975])]
print(pd.DataFrame(scores, index=["value", "low", "high"]).T)
RocCurveDisplay.from_predictions(y, p, plot_chance_level=True).figure_.savefig("roc.png")
CalibrationDisplay.from_predictions(y, p, n_bins=10).figure_.savefig("calibration.png")
encoded = customers[test].assign(contract=customers["contract"][test].cat.codes)
plain = HistGradientBoostingClassifier(early_stopping=True, random_state=0)
plain.fit(customers[fit].assign(contract=customers["contract"][fit].cat.codes), churn[fit])
shap.plots.bar(shap.TreeExplainer(plain)(encoded), show=False)
