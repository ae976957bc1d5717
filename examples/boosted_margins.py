"""Does more boosting hurt, once the training error is zero?

A wine merchant boosts small trees to tell good red wine (quality 6 and better) from plain, watches the
margins, and asks what could have been known without a test set.  Run it:

    python examples/boosted_margins.py
"""

from __future__ import annotations

import csv
import textwrap
from pathlib import Path

import numpy as np

import empirisk as er

DATA = Path(__file__).parent / "data" / "winequality-red.csv"


def wines() -> tuple[np.ndarray, np.ndarray]:
    """Eleven measurements of each different wine, in random order, and whether it is good."""
    with DATA.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))[1:]
    table = np.unique(np.array(rows, dtype=float), axis=0)
    order = np.random.default_rng(0).permutation(len(table))
    X, quality = table[order, :-1], table[order, -1]
    return X, np.where(quality >= 6, "good", "plain")


def say(text: str) -> None:
    """Print a paragraph, wrapped and with a blank line on both sides."""
    print(f"\n{textwrap.fill(text, 100)}\n")


def row(rounds: int, model: er.AdaBoostClassifier, test: list[float]) -> str:
    """What is known after so many rounds."""
    t = rounds - 1
    return (
        f"{rounds:6d}  {model.training_error_[t]:9.3f} {model.training_error_bound_[t]:9.3f} {test[t]:9.3f} "
        f"{model.least_margins_[t]:16.3f}"
    )


def main() -> None:
    """Tell how a vote goes on improving after its training error has reached 0."""
    X, y = wines()
    train, test = slice(0, 900), slice(900, None)

    say("1. A committee of trees of depth 3, each fitted to the rows that the others got wrong.")
    model = er.AdaBoostClassifier(300, max_depth=3).fit(X[train], y[train])
    errors = [float(np.mean(said != y[test])) for said in model.staged_predict(X[test])]
    print("rounds   training     bound      test  smallest margin")
    for rounds in (1, 5, 20, 50, 100, 200, 300):
        print(row(rounds, model, errors))
    none = int(np.argmax(model.training_error_ == 0.0)) + 1
    noise = 2.0 * float(np.sqrt(errors[-1] * (1.0 - errors[-1]) / len(y[test])))
    say(
        f"After {none} rounds the committee makes no training error, and the training error has nothing more "
        f"to say. The margins have: the smallest goes on rising, to {model.margins_.min():.2f}. The test "
        f"error goes from {errors[none - 1]:.3f} to {errors[-1]:.3f}; two standard errors of such a number "
        f"are {noise:.3f} here, so more rounds neither help nor hurt as far as these wines can tell. The "
        "bound is arithmetic: it holds in every round, for the rows of the fit and for no others."
    )

    say("2. Stumps, and what is provable about all votes of stumps.")
    stumps = er.AdaBoostClassifier(300).fit(X[train], y[train])
    print(stumps.certificate_.claim)
    print(f"smallest margin {stumps.margins_.min():.3f}; no vote has more than {stumps.margin_bound_:.3f}")
    say(
        "Both lines are proofs about the training rows: how near this vote is to the best of its weight, and "
        "that no vote of stumps, however long, separates these wines by more than a hair. On new wines it "
        f"errs on {np.mean(stumps.predict(X[test]) != y[test]):.3f}: the trees of depth 3 fit far better, "
        "and predict no better."
    )

    say("3. Without a test set: bagging, where every row is new to a third of the members.")
    bagged = er.BaggingClassifier(n_estimators=200).fit(X[train], y[train])
    print(f"out-of-bag error {bagged.oob_risk_}; test {np.mean(bagged.predict(X[test]) != y[test]):.3f}")
    print(bagged.certificate_.claim)
    say(
        "The interval is about the luck of the rows, the certificate about the luck of the seeds: more "
        "members would not change the answer, more wines would."
    )


if __name__ == "__main__":
    main()
