"""Are there groups of rows, or is it one cloud?  The same questions to flowers and to a cloud like them.

Fisher's irises, and as many draws from one normal law with their mean and covariance.  Run it (20 seconds):

    python examples/any_groups.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

import empirisk as er


def ask(title: str, X: np.ndarray) -> er.KMeans:
    """Print whether there are clusters, how good three of them are, and whether they come back."""
    print(title, "\n")
    found = er.choose_k(er.KMeans(), X, range(1, 7), random_state=0)
    print(f"  verdict: {found.verdict}")
    groups = er.KMeans(3).fit(X)
    bound = groups.lower_bound(X)
    print(
        f"  three centres: inertia {groups.inertia_:.1f}; no three centres have less than {bound.value:.1f}"
    )
    print(f"  proved: {bound.sentence(groups.inertia_)}")
    mixture = er.GaussianMixture([1, 2, 3, 4]).fit(X)
    print(f"  mixtures say: {mixture.selection_.sentence}\n")
    return groups


def main() -> None:
    """Ask about flowers and about a cloud, then compare the groups of the flowers with their species."""
    X, species = load_iris(return_X_y=True)
    groups = ask("1. 150 irises of three species, four lengths each", X)
    rng = np.random.default_rng(0)
    cloud = rng.multivariate_normal(X.mean(axis=0), np.cov(X.T), size=len(X))
    ask("2. 150 draws from one normal law with the same mean and covariance", cloud)
    print(
        "K-means cuts the cloud into three as willingly. What tells the two tables apart is the test before"
    )
    print("the number (and here the BIC of mixtures, for which one normal law is a model), not the fit.\n")

    print("3. Are the groups of the flowers the species?\n")
    print(er.compare_partitions(groups.labels_, species))


if __name__ == "__main__":
    main()
