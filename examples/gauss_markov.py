"""Least squares is the best linear unbiased estimator: what each of the three words is worth.

The Gauss-Markov theorem says that no *linear unbiased* estimator has a smaller variance than least squares.
Here it is seen by simulation, and then broken three ways: by ridge regression and James-Stein, which are
biased, and by the median, which is not linear.  Run it (seconds):

    python examples/gauss_markov.py
"""

from __future__ import annotations

import numpy as np

import empirisk as er

SAMPLES = 4000


def spread(estimates: np.ndarray, theta: np.ndarray) -> tuple[float, float, float]:
    """Squared bias, variance, and mean squared error with its standard error."""
    squares = ((estimates - theta) ** 2).sum(axis=1)
    bias2 = float(((estimates.mean(axis=0) - theta) ** 2).sum())
    return bias2, float(squares.mean()), float(squares.std() / np.sqrt(len(squares)))


def row(name: str, estimates: np.ndarray, theta: np.ndarray) -> None:
    """Print one line of the table: the errors of one estimator."""
    bias2, error, noise = spread(estimates, theta)
    print(f"  {name:<42} bias^2 {bias2:7.4f}   error {error:7.4f} +- {noise:.4f}")


def main() -> None:
    """Print the three parts of the story, from the theorem to what lies outside of it."""
    rng = np.random.default_rng(0)
    n, p, sigma = 40, 6, 1.5
    X = rng.normal(size=(n, p))
    theta = np.array([1.0, -0.5, 0.5, 0.0, 0.0, 0.25])
    Y = X @ theta + sigma * (
        rng.exponential(size=(SAMPLES, n)) - 1.0
    )  # skewed: the theorem asks for no normal law

    print("1. Linear unbiased estimators, A X = I: least squares wins\n")
    ols = np.linalg.pinv(X)
    weights = rng.uniform(0.2, 5.0, size=n)
    weighted = np.linalg.solve(X.T @ (weights[:, None] * X), X.T * weights)
    half = np.hstack([np.linalg.pinv(X[:20]), np.zeros((p, 20))])
    for name, A in (
        ("least squares", ols),
        ("weighted by chance", weighted),
        ("the first 20 rows alone", half),
    ):
        found = er.linear_theory.gauss_markov(X, A, sigma)
        row(f"{name} (theory {np.trace(found.covariance):.4f})", Y @ A.T, theta)
        assert found.unbiased
    excess = er.linear_theory.gauss_markov(X, weighted, sigma).smallest
    print(f"\n  Every combination of coefficients is worse: smallest excess variance {excess:.4f} > 0.\n")

    print("2. Give up *unbiased*: ridge regression wins\n")
    alpha = er.linear_theory.optimal_alpha(X, theta, sigma)
    ridge = np.linalg.solve(X.T @ X + n * alpha * np.eye(p), X.T)
    row(f"ridge, alpha = {alpha:.3f}", Y @ ridge.T, theta)
    best = er.linear_theory.ridge_risk(X, theta, sigma, alpha)
    plain = er.linear_theory.ols_excess_risk(sigma, p, n)
    print(
        f"\n  Excess risk at the rows: least squares {plain:.4f}, ridge {best.risk:.4f}\n"
        f"  (bias^2 {best.bias2:.4f} and variance {best.variance:.4f}). The best alpha needs the truth; "
        "cross-validation\n"
        "  comes close without it.\n"
    )

    print("3. Nor does it need the truth: James-Stein, from three means on\n")
    means = np.array([0.5, -0.2, 0.1, 0.0, 0.3, -0.4, 0.2, 0.1])
    Z = means + rng.normal(size=(SAMPLES, len(means)))
    shrink = np.maximum(0.0, 1.0 - (len(means) - 2) / (Z**2).sum(axis=1))
    row("the observations themselves", Z, means)
    row("James-Stein, positive part", shrink[:, None] * Z, means)

    print("\n4. Give up *linear*: with heavy tails the median wins, and is unbiased\n")
    heavy = rng.standard_t(2.5, size=(SAMPLES, 101))
    zero = np.zeros(1)
    row("mean of 101 rows", heavy.mean(axis=1)[:, None], zero)
    row("median of 101 rows", np.median(heavy, axis=1)[:, None], zero)


if __name__ == "__main__":
    main()
