"""Intervals for a model of another library: red wines by a forest, checked on wines that it never saw.

Run it (seconds):

    python examples/prediction_intervals.py
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.ensemble import RandomForestRegressor

import empirisk as er

WINES = Path(__file__).parent / "data" / "winequality-red.csv"


def main() -> None:
    """Fit on a third of the wines, calibrate on another, check on the rest."""
    wines = pd.read_csv(WINES, sep=";").drop_duplicates().sample(frac=1.0, random_state=0)
    y = wines.pop("alcohol").to_numpy()
    third = len(y) // 3
    fit, calibrate, check = slice(0, third), slice(third, 2 * third), slice(2 * third, None)
    forest = RandomForestRegressor(50, random_state=0).fit(wines[fit], y[fit])
    model = er.conformalize(forest, wines[calibrate], y[calibrate], level=0.9)
    print(model.guarantee())
    print(model.interval(wines[check]))
    print(er.evaluate(model, wines[check], y[check]))


if __name__ == "__main__":
    main()
