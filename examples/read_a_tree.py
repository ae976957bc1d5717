"""A tree that a committee can read: how large, how sure, and would the best one be another?

Wines of three kinds, by their chemistry.  Run it (a second):

    python examples/read_a_tree.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import empirisk as er


def main() -> None:
    """Prune, read, check on rows that the tree has not seen, and compare with the best tree of its depth."""
    wine = load_wine(as_frame=True)
    names = np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]
    X, X_new, y, y_new = train_test_split(wine.data, names, test_size=0.4, random_state=1, stratify=names)

    print("1. The tree, pruned by cross-validation and one standard error\n")
    tree = er.DecisionTreeClassifier().fit(X, y)
    print(tree.to_text())
    print(f"\n   {tree.certificate_.claim}")
    path = tree.path_
    if path.cv_risk is not None and path.cv_se is not None:
        for leaves, risk, se in zip(path.n_leaves, path.cv_risk, path.cv_se, strict=True):
            print(f"   {leaves:2d} leaves: held-out error {risk:.3f} +- {se:.3f}")

    print("\n2. What each leaf says about rows that it has not seen\n")
    for rule in tree.rules(X_new, y_new):
        print(f"   {rule}")

    print("\n3. Why one wine is called what it is called\n")
    print(tree.explain(X_new.iloc[[0]]))

    print("\n4. Is there a better tree of two questions?\n")
    for depth in (2, 3):
        greedy = er.DecisionTreeClassifier(max_depth=depth, alpha=None).fit(X, y)
        best = er.DecisionTreeClassifier(optimal=depth).fit(X, y)
        wrong = [round((1.0 - model.score(X, y)) * len(y)) for model in (greedy, best)]
        print(f"   depth {depth}: greedy splits miss {wrong[0]} of {len(y)} rows, the best tree {wrong[1]}")
        print(f"   {best.certificate_.claim}")


if __name__ == "__main__":
    main()
