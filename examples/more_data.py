"""How much more data? Ask before collecting, then look whether the answer was right.

A hospital has 200 of the 442 patients of the diabetes data that scikit-learn ships, and wonders whether to
go on recruiting.  Run it (seconds):

    python examples/more_data.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import empirisk as er
from empirisk.selection import learning_curve


def main() -> None:
    """Print the two curves, what they promise, and what came."""
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    at_hand = order[:200]

    print("1. A linear model on the 200 patients at hand\n")
    linear = learning_curve(er.Ridge(alpha="cv"), X[at_hand], y[at_hand], random_state=0)
    print(linear)
    print(
        "\nThe held-out and the training loss have nearly met: the model has learned what its ten columns\n"
        "can tell it. The bracket says how little another 200 patients can bring.\n"
    )

    print("2. A tree on the same patients\n")
    tree = learning_curve(DecisionTreeRegressor(min_samples_leaf=5), X[at_hand], y[at_hand], random_state=0)
    print(tree)
    print(
        "\nIts training loss lies far below the held-out one: it still pays for the luck of its rows. More\n"
        "may help much or not at all; 200 patients cannot tell, and the sentence says so.\n"
    )

    print("3. How many rows for a given gain?\n")
    for name, curve in (("linear model", linear), ("tree", tree)):
        gain = 0.05 * curve.validation[-1].value
        need = curve.rows_for(gain)
        print(f"  {name}, 5 % less loss ({gain:.0f}): {need if need.low is not None else need.reason}")

    print("\n4. The other patients came. Was the promise kept?\n")
    for name, model, curve in (
        ("linear model", er.Ridge(alpha="cv"), linear),
        ("tree", DecisionTreeRegressor(min_samples_leaf=5), tree),
    ):
        promised = curve.extrapolate(2.0).loss[0]
        # Ten folds of 442 patients train on 398: about twice the 200.
        came = er.cross_evaluate(model, X, y, cv=10, repeats=3, metrics="mse", random_state=0)["mse"]
        kept = promised.low <= came.value <= promised.high
        print(f"  {name}: promised {promised} with 400 patients, measured {came}: {'yes' if kept else 'no'}")


if __name__ == "__main__":
    main()
