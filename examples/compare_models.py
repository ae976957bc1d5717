"""Is A better than B? A difference with its interval, a region that does not matter, and the winner's curse.

The breast-cancer data that scikit-learn ships.  Run it (seconds):

    python examples/compare_models.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.selection import GridSearch, nested_cross_evaluate, train_validation_test_split


def main() -> None:
    """Compare two models, tune one of them, and see what tuning does to its score."""
    X, y = load_breast_cancer(return_X_y=True)
    parts = train_validation_test_split(X, y, sizes=(0.6, 0.2, 0.2), random_state=0)
    print("1. What we have\n")
    print(parts)

    X, y = parts.train.X, parts.train.y
    logistic = make_pipeline(StandardScaler(), er.LogisticRegression())
    print("\n2. Logistic regression against naive Bayes: the interval of the difference\n")
    print(er.compare(logistic, GaussianNB(), X, y, metric="accuracy", random_state=0))

    print("\n3. Which strength of the penalty? Thirteen candidates, one path for each fold\n")
    grid = {"logisticregression__alpha": np.logspace(-5, 1, 13)}
    search = GridSearch(logistic, grid, metric="log_loss", rule="one_se", random_state=0).fit(X, y)
    print(search.result_)

    table = search.result_
    wins, equal, loses = search.beats(table.lowest, table.best, rope=0.01)
    print(
        f"\nThe smallest mean log-loss against the simpler choice: better by more than 0.01 with\n"
        f"probability {wins:.2f}, practically equal with {equal:.2f}, worse by more with {loses:.2f}."
    )

    print("\n4. The winner's curse: twenty models that know nothing\n")
    rng = np.random.default_rng(0)
    coins, noise = rng.integers(0, 2, size=100), rng.normal(size=(100, 10))
    lucky = GridSearch(
        er.LogisticRegression(), {"alpha": np.logspace(-4, 2, 20)}, metric="accuracy", random_state=0
    )
    lucky.fit(noise, coins)
    print(f"  accuracy of the best, as if it were the only one: {lucky.naive_score_}")
    print(f"  corrected for having been chosen:                 {lucky.best_score_}")
    print("  the truth:                                        0.5")

    print("\n5. The whole procedure, tuning included, and then once on the test part\n")
    print(nested_cross_evaluate(search, X, y, metrics=["accuracy", "log_loss"], random_state=0))
    print()
    print(er.evaluate(search, parts.test.X, parts.test.y, metrics=["accuracy", "log_loss"]))


if __name__ == "__main__":
    main()
