"""A model in a file that refuses rows unlike those it knows, by scikit-learn and skops."""

import tempfile
from pathlib import Path

import pandas as pd
import skops.io
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from statsmodels.stats.proportion import proportion_confint

people = pd.read_csv("../data/adult.csv.gz", na_values="?", nrows=3000)
X, y = people.drop(columns=["income", "fnlwgt", "native-country"]), people["income"]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
words = make_column_selector(dtype_include=["object", "string"])
encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1)
columns = make_column_transformer((encode, words), remainder="passthrough")
model = make_pipeline(columns, HistGradientBoostingClassifier(random_state=0)).fit(X_train, y_train)
right = (model.predict(X_test) == y_test).sum()
print(accuracy_score(y_test, model.predict(X_test)), proportion_confint(right, len(y_test), method="wilson"))
print(log_loss(y_test, model.predict_proba(X_test)))
kept = {"model": model, "columns": list(X.columns), "numbers": {}, "levels": {}}
for name in X.columns:
    if pd.api.types.is_numeric_dtype(X[name]):
        kept["numbers"][name] = [float(X_train[name].min()), float(X_train[name].max())]
    else:
        kept["levels"][name] = sorted(X_train[name].dropna().unique())
path = Path(tempfile.mkdtemp()) / "model.skops"
skops.io.dump(kept, path)


def predict(path, rows):
    """Answer for the rows of a frame, after a look at its columns."""
    saved = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    missing = set(saved["columns"]) - set(rows)
    if missing:
        raise ValueError(f"columns are missing: {sorted(missing)}")
    for name, levels in saved["levels"].items():
        unknown = set(rows[name].dropna()) - set(levels)
        if unknown:
            raise ValueError(f"{name} holds levels that training did not have: {sorted(unknown)}")
    for name, (low, high) in saved["numbers"].items():
        if rows[name].lt(low).any() or rows[name].gt(high).any():
            print(f"warning: {name} lies outside of {low} to {high}")
    return saved["model"].predict(rows[saved["columns"]])


new = people.drop(columns="income").head(5).assign(age=[25, 38, 52, 41, 200])
print(predict(path, new))
