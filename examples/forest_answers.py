"""How sure is a forest of one wine?

A random forest rates red wines from eleven measurements. A taster asks three things of it: how far to trust
the rating of one bottle, which measurements it goes by, and which wines it has in mind.  Run it:

    python examples/forest_answers.py
"""

from __future__ import annotations

import csv
import textwrap
from pathlib import Path

import numpy as np

import empirisk as er

DATA = Path(__file__).parent / "data" / "winequality-red.csv"


def wines() -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of the measurements, the measurements, and the ratings (3 to 8), without repeated bottles."""
    with DATA.open(newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    table = np.unique(np.array(rows, dtype=float), axis=0)
    order = np.random.default_rng(0).permutation(len(table))
    return head[:-1], table[order, :-1], table[order, -1]


def say(text: str) -> None:
    """Print a paragraph, wrapped and with a blank line on both sides."""
    print(f"\n{textwrap.fill(text, 100)}\n")


def main() -> None:
    """Tell what a forest can answer about its own predictions, and check it."""
    names, X, y = wines()
    X_train, y_train, X_new, y_new = X[:1000], y[:1000], X[1000:], y[1000:]

    say("1. A forest that chooses its own size, and its risk from the wines that each tree did not see.")
    forest = er.RandomForestRegressor("auto", max_features=4, min_samples_leaf=2)
    forest.fit(X_train, y_train)
    print(f"  squared error out-of-bag      {forest.oob_risk_}")
    print(f"  squared error on {len(y_new)} others   {np.mean((forest.predict(X_new) - y_new) ** 2):.3f}")
    print(f"  {forest.n_estimators_} trees; another seed would move the first number by", end=" ")
    print(f"{forest.monte_carlo_error_:.4f}")

    say("2. One bottle: where the expected rating lies, and where its own rating will.")
    band = forest.interval(X_new, 0.95)
    print("  rating  forest  expected (95 %)   this bottle (90 %)")
    new = forest.prediction_interval(X_new, 0.9)
    for i in range(5):
        expected, own = f"{band.low[i]:.2f} to {band.high[i]:.2f}", f"{new.low[i]:.2f} to {new.high[i]:.2f}"
        print(f"  {y_new[i]:6.0f}  {forest.predict(X_new[i : i + 1])[0]:6.2f}  {expected:16}  {own}")
    inside = np.mean((new.low <= y_new) & (y_new <= new.high))
    say(
        f"The right column held {100 * inside:.0f} % of the {len(y_new)} new ratings. The middle one is no "
        "promise about ratings: it says how far a forest grown on 1000 other wines would move, and it is a "
        "few times shorter."
    )

    say("3. What it goes by. Splits judged on the wines that chose them flatter every measurement:")
    honest = forest.importances().estimates(names)
    flattering = dict(zip(names, forest.feature_importances_, strict=True))
    for name in sorted(names, key=lambda k: -honest[k].value):
        print(f"  {name:22} rise of the squared error when shuffled {honest[name]!s:24}", end="")
        print(f"  share of the splits {100 * flattering[name]:4.1f} %")

    say("4. What it has in mind: the three wines that weigh most in the rating of the first new bottle.")
    P = forest.proximity(X_new[:1]).toarray()[0]
    for row in np.argsort(-P)[:3]:
        print(f"  weight {100 * P[row]:4.1f} %  rated {y_train[row]:.0f}  alcohol {X_train[row, -1]:.1f} %")
    print(
        f"  all weights together give {P @ y_train:.2f}, the forest says {forest.predict(X_new[:1])[0]:.2f}"
    )


if __name__ == "__main__":
    main()
