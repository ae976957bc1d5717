"""Is my bound vacuous, and why?

A wine merchant wants to know how often a model that tells good red wine (quality 6 and better) from plain
will be wrong on new wines, and whether learning theory can say it without a test set.  Run it:

    python examples/vacuous_bound.py
"""

from __future__ import annotations

import csv
import textwrap
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import empirisk as er

DATA = Path(__file__).parent / "data" / "winequality-red.csv"


def wines() -> tuple[np.ndarray, np.ndarray]:
    """Eleven measurements of each wine, in random order, and whether it is good."""
    with DATA.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))[1:]
    table = np.array(rows, dtype=float)
    order = np.random.default_rng(0).permutation(len(table))
    X, quality = table[order, :-1], table[order, -1]
    return X, np.where(quality >= 6, "good", "plain")


def say(text: str) -> None:
    """Print a paragraph, wrapped and with a blank line on both sides."""
    print(f"\n{textwrap.fill(text, 100)}\n")


def values(table: er.selection.RiskBounds) -> dict[str, float]:
    """Return the values of the bounds that apply, by their names."""
    return {row.bound: row.value for row in table if row.applies}


def main() -> None:
    """Tell why bounds from the training rows say so little, and what makes them say more."""
    X, y = wines()
    units, train, test = slice(0, 200), slice(200, 1199), slice(1199, None)

    say("1. Everything at once. The test set wins, and it is not close.")
    scaled = make_pipeline(StandardScaler(), er.LogisticRegression()).fit(X[train], y[train])
    first = er.risk_bounds(scaled, X[train], y[train], X[test], y[test])
    print(first)
    say(
        "Hold the bounds against the line on the constant answer. One above it is not vacuous in the strict "
        "sense (it is below 1), but it says less about this model than the shares of the classes say about "
        "no model at all. That is where every bound from the training rows ends. One reason is units: the "
        "prior of PAC-Bayes is the same in every column, and so is the grid to which coefficients are "
        "rounded; but chlorides are measured in grams per litre and sulphur dioxide in milligrams. The "
        "scaler would mend that, but it looked at these rows, and what was taken from the rows is not known "
        "before them."
    )

    say("2. The same theorems, told what 200 other wines say: the units, and a first model.")
    elsewhere = FunctionTransformer(StandardScaler().fit(X[units]).transform)
    known = make_pipeline(elsewhere, er.LogisticRegression()).fit(X[train], y[train])
    prior = make_pipeline(elsewhere, er.LogisticRegression()).fit(X[units], y[units])
    second = er.risk_bounds(known, X[train], y[train], X[test], y[test], prior=prior)
    for name, value in values(second).items():
        print(f"  {name:<34}{values(first)[name]:6.3f}  ->  {value:6.3f}")
    say(
        "For the 999 wines of the fit these units are as good as given by a chemist, and a model fitted to "
        "the 200 is a prior for PAC-Bayes at next to no cost. The fitted model is nearly the same, but two "
        "bounds now say more than the constant answer. VC theory does not see the difference: it looks at "
        "the worst distribution, for which units do not matter."
    )

    say("3. Is it the number of rows?  What VC theory asks for with 11 columns (dimension 12):")
    for excess in (0.3, 0.1, 0.05):
        rows = er.bounds.ghost_uniform(epsilon=excess, delta=0.05, vc=12, sides=1).n
        print(f"  to be within {excess:4} of the training error: {rows:>9,} wines")
    close = er.bounds.hoeffding(n=len(y[test]), delta=0.05, sides=1).epsilon
    print(f"  a test set of {len(y[test])} wines is within {close:.3f}, whatever the model")

    say("4. What does not help: numbers that were taken from the rows. The table refuses, and says why.")
    tuned = make_pipeline(elsewhere, er.LogisticRegression("cv", fit_intercept=False))
    table = er.risk_bounds(tuned.fit(X[train], y[train]), X[train], y[train], prior_scale="alpha")
    for name in ("PAC-Bayes-kl with a Gaussian", "margin", "uniform stability"):
        print(f"  {name}: {table[name].reason}.")

    say("5. So: keep a test set, and read the other rows for what a theorem would have to be told.")
    best = second.best
    if best is not None:
        print(f"  {best.claim},")
        for assumption in best.assumptions:
            print(f"    if {assumption.text}")
    copies = len(X) - len(np.unique(X, axis=0))
    say(
        f"The conditions are printed because they can fail: {copies} of these {len(X):,} wines have the same "
        "measurements as another one, which independent draws of numbers with so many digits would not. No "
        "theorem above survives if copies of one bottle are counted as several wines."
    )


if __name__ == "__main__":
    main()
