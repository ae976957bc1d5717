"""Boosting that says how sure it is: red wines, with intervals for each and a check of what they cover.

Run it (seconds):

    python examples/boosting_intervals.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import empirisk as er

WINES = Path(__file__).parent / "data" / "winequality-red.csv"
LEVEL = 0.8


def halves() -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """Wines to fit and wines to check; the file holds duplicates, of which one is kept."""
    wines = pd.read_csv(WINES, sep=";").drop_duplicates()
    wines = wines.sample(frac=1.0, random_state=0)
    y = wines.pop("alcohol").to_numpy()
    wines = wines.drop(columns=["quality"])
    half = len(y) // 2
    return wines[:half], y[:half], wines[half:], y[half:]


def check(name: str, model: er.GradientBoostingRegressor, X: pd.DataFrame, y: np.ndarray) -> None:
    """One line: coverage of new wines and the width of their intervals."""
    band = model.interval(X, LEVEL)
    covered = (band.low <= y) & (y <= band.high)
    width = band.high - band.low
    low, high = np.quantile(width, [0.1, 0.9])
    share = f"{100 * covered.mean():.1f} %"
    print(f"  {name:<34}{share:>9}{width.mean():>12.2f}{f'{low:.2f} to {high:.2f}':>18}")


def main() -> None:
    """Fit the model, print its intervals, and check on fresh rows how often they hold."""
    X, y, new, truth = halves()
    common = {"n_estimators": 200, "max_leaf_nodes": 8, "learning_rate": 0.1, "calibration_fraction": 0.3}
    mean = er.GradientBoostingRegressor(**common).fit(X, y)
    bands = er.GradientBoostingRegressor("quantile", q=[0.1, 0.5, 0.9], **common).fit(X, y)
    print(f"Alcohol of red wines from {X.shape[1]} measurements: {len(y)} wines to fit, {len(truth)} new.\n")
    raw = bands.predict(new)
    inside = np.mean((raw[:, 0] <= truth) & (truth <= raw[:, 2]))
    print(
        f"The fitted 10 % and 90 % quantiles promise 80 % and hold {100 * inside:.1f} % of the new wines:\n"
        "boosting has learnt its own rows too well. Rows held out from the fit mend that.\n"
    )
    print(f"  {'80 % intervals':<34}{'covered':>9}{'mean width':>12}{'most widths':>18}")
    check("mean, one margin for all", mean, new, truth)
    check("quantiles, moved by the margin", bands, new, truth)
    print(f"\n{bands.conformal_.claim(LEVEL)}.")
    print(f"Given these calibration rows the coverage of new wines is {bands.conformal_.coverage(LEVEL)}.")
    crossed = bool((np.diff(raw, axis=1) < 0.0).any())
    print(f"Do the three quantiles cross for any wine? {'yes' if crossed else 'no'}.")
    rising = er.GradientBoostingRegressor(**common, monotonic_cst={"density": -1}).fit(X, y)
    print(
        "\nMore alcohol makes a wine lighter: the same model with a prediction that falls with the density."
    )
    check("mean, falling with the density", rising, new, truth)
    told = dict(zip(X.columns, rising.importances(), strict=True))
    best = sorted(told, key=lambda name: -told[name])[:3]
    print("Largest shares of the training gain: " + ", ".join(f"{n} {told[n]:.2f}" for n in best) + ".")


if __name__ == "__main__":
    main()
