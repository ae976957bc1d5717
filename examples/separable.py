"""Can a plane tell these classes apart?  A proof either way, and what it means for the models.

Fisher's irises.  Run it (a second):

    python examples/separable.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

import empirisk as er


def logistic(X: np.ndarray, y: np.ndarray) -> str:
    """What logistic regression without a penalty says."""
    try:
        model = er.LogisticRegression(alpha=0.0).fit(X, y)
    except ValueError as error:
        return f"stops: {error}"
    return f"fits, largest coefficient {np.abs(model.coef_).max():.1f}"


def look(title: str, X: np.ndarray, y: np.ndarray) -> er.HalfspaceClassifier:
    """Print whether a plane separates two classes, and what that means for logistic regression."""
    print(title, "\n")
    plane = er.HalfspaceClassifier().fit(X, y)
    print(f"  separable: {plane.separable_}")
    print(f"  proof: {plane.proof_}")
    print(f"  logistic regression without a penalty {logistic(X, y)}\n")
    return plane


def main() -> None:
    """Setosa against the others, then the two others against each other."""
    iris = load_iris(as_frame=True)
    X, names = iris.data, np.array(iris.target_names)[iris.target]

    plane = look("1. Setosa against the other two", X, np.where(names == "setosa", "setosa", "other"))
    print(f"  margin: {plane.margin_:.3f} cm; no plane has more than {plane.margin_bound_:.3f} cm")
    print("  Logistic regression has no best answer here: doubling the coefficients always helps.\n")

    rest = names != "setosa"
    plane = look("2. Versicolor against virginica", X[rest], names[rest])
    print(f"  the best half-space by the hinge errs on {plane.n_errors_} of {int(rest.sum())} flowers\n")

    print("3. Models that do not ask for separability\n")
    for model in (
        er.LogisticRegression(),
        er.LinearSVC(),
        er.LinearSVC(loss="squared_hinge"),
        er.SGDClassifier(random_state=0),
    ):
        name = type(model).__name__ + (f"({model.loss})" if hasattr(model, "loss") else "")
        found = er.cross_evaluate(model, X, names, metrics="accuracy", random_state=0)["accuracy"]
        gap = model.fit(X, names).certificate_
        print(f"  {name:<28} accuracy {found}; relative gap of the fit {gap.relative:.0e}")


if __name__ == "__main__":
    main()
