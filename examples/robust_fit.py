"""A few gross errors: what least squares, Huber's loss and least absolute deviations make of them.

Simulated, so that the truth is known.  Run it (seconds):

    python examples/robust_fit.py
"""

from __future__ import annotations

import numpy as np

import empirisk as er

MODELS = {
    "least squares": er.LinearRegression(),
    "Huber": er.HuberRegressor(),
    "least absolute": er.LeastAbsoluteDeviations(),
}
TRUTH = 2.0


def sample(rng: np.random.Generator, share: float, leverage: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A line with slope 2 and normal noise; a share of the rows is wrong, in y or in x as well."""
    n = 200
    X = rng.normal(size=(n, 1))
    y = 1.0 + TRUTH * X[:, 0] + rng.normal(size=n)
    bad = rng.permutation(n)[: round(share * n)]
    y[bad] -= 20.0 * (X[bad, 0] > 0)
    if leverage:
        X[bad] = 10.0
    return X, y


def errors(share: float, leverage: bool = False, times: int = 40) -> dict[str, float]:
    """Root mean square error of the slope of each model."""
    rng = np.random.default_rng(1)
    squares = dict.fromkeys(MODELS, 0.0)
    for _ in range(times):
        X, y = sample(rng, share, leverage)
        for name, model in MODELS.items():
            squares[name] += (float(model.fit(X, y).coef_[0]) - TRUTH) ** 2 / times
    return {name: float(np.sqrt(v)) for name, v in squares.items()}


def show(title: str, found: dict[str, float]) -> None:
    """Print one line of the table: the error of each model in one setting."""
    print(f"  {title:<34}" + "".join(f"{found[name]:>16.3f}" for name in MODELS))


def main() -> None:
    """Print the price of robustness, what it buys, and what it does not."""
    print("Root mean square error of the slope (200 rows, 40 samples)\n")
    print(f"  {'':<34}" + "".join(f"{name:>16}" for name in MODELS))
    clean = errors(0.0)
    show("no errors", clean)
    for share in (0.02, 0.1, 0.3):
        show(f"{100 * share:.0f} % of the targets wrong", errors(share))
    show("10 % wrong in the column, too", errors(0.1, leverage=True))
    cost = {name: 100.0 * ((clean[name] / clean["least squares"]) ** 2 - 1.0) for name in MODELS}
    print(
        f"\nWithout errors Huber's loss costs {cost['Huber']:.0f} % more rows for the same accuracy, least "
        f"absolute deviations {cost['least absolute']:.0f} %\n(pi/2 - 1 = 57 % in theory). With wrong "
        "targets "
        "both stand, and least squares falls. Against wrong\ncolumns (the last line) no loss of the residual "
        "helps: such rows pull the line through themselves.\n"
    )
    X, y = sample(np.random.default_rng(2), 0.05)
    huber = er.HuberRegressor().fit(X, y)
    print(
        f"One sample with 5 % errors: {int(huber.outliers_.sum())} rows lie in the linear part of the loss."
    )
    print(f"{huber.certificate_}")


if __name__ == "__main__":
    main()
