"""How often a learning curve covers the truth: its band, and what it says about 2 and 5 times the rows.

``python -m bench.coverage.more_rows`` prints the table of ``docs/how-to/curves.md``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

import empirisk as er
from empirisk.selection import learning_curve

Rng = np.random.Generator


@dataclass(frozen=True)
class Setting:
    """A model on data whose conditional mean is known, so that risks are computed without label noise.

    Parameters
    ----------
    make : callable
        An unfitted estimator.
    columns : int
    mean : callable
        X to E[y|x] (for classes: the probability of class 1).
    noise : float or None
        Standard deviation of the target; None for classes.
    loss : str
        The loss of the curve.
    """

    make: Callable[[], Any]
    columns: int
    mean: Callable[[np.ndarray], np.ndarray]
    noise: float | None
    loss: str

    def draw(self, rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return n rows with their targets, drawn from the setting."""
        X = rng.normal(size=(n, self.columns))
        m = self.mean(X)
        if self.noise is None:
            return X, (rng.random(n) < m).astype(int)
        return X, m + self.noise * rng.normal(size=n)

    def risk(self, model: Any, X: np.ndarray) -> float:
        """Mean loss of a fitted model on these rows, the label integrated out."""
        m = self.mean(X)
        if self.noise is not None:
            return float(np.mean((model.predict(X) - m) ** 2)) + self.noise**2
        if self.loss == "accuracy":
            return float(np.mean(np.where(model.predict(X) == 1, 1.0 - m, m)))
        p = model.predict_proba(X)[:, 1]
        if self.loss == "brier_score":
            return float(np.mean((p - m) ** 2 + m * (1.0 - m)))
        return float(np.mean(-m * np.log(p) - (1.0 - m) * np.log1p(-p)))


def friedman(X: np.ndarray) -> np.ndarray:
    """Friedman's first function of five uniform columns."""
    from scipy.special import ndtr

    u = ndtr(X)
    return 10 * np.sin(np.pi * u[:, 0] * u[:, 1]) + 20 * (u[:, 2] - 0.5) ** 2 + 10 * u[:, 3] + 5 * u[:, 4]


def linear(X: np.ndarray) -> np.ndarray:
    """Return a linear mean with equal coefficients, whose variance is 1."""
    return X.sum(axis=1) / np.sqrt(X.shape[1])


def curved(X: np.ndarray) -> np.ndarray:
    """What a linear model cannot follow."""
    return X[:, 0] + 0.5 * X[:, 1] + 0.5 * (X[:, 2] ** 2 - 1.0)


def sigmoid(X: np.ndarray) -> np.ndarray:
    """Probability of a linear score of standard deviation 2."""
    return 1.0 / (1.0 + np.exp(-2.0 * linear(X)))


SETTINGS = {
    "least squares, 20 columns": Setting(er.LinearRegression, 20, linear, 1.0, "mse"),
    "ridge, 20 columns": Setting(er.Ridge, 20, linear, 1.0, "mse"),
    "ridge on a curve, 5 columns": Setting(er.Ridge, 5, curved, 1.0, "mse"),
    "tree, Friedman": Setting(lambda: DecisionTreeRegressor(min_samples_leaf=5), 5, friedman, 1.0, "mse"),
    "logistic, 10 columns, log-loss": Setting(er.LogisticRegression, 10, sigmoid, None, "log_loss"),
    "logistic, 10 columns, error rate": Setting(er.LogisticRegression, 10, sigmoid, None, "accuracy"),
    "15-NN, 5 columns, Brier": Setting(lambda: KNeighborsClassifier(15), 5, sigmoid, None, "brier_score"),
}


QUANTITIES = ("band", "band, full", "gain 2x", "loss 2x", "gain 5x", "loss 5x")


@cache
def truths(name: str, rows: tuple[int, ...], runs: int, seed: int = 1) -> tuple[float, ...]:
    """Expected risk at these numbers of training rows: nested training sets, so that falls are precise."""
    s, rng = SETTINGS[name], np.random.default_rng(seed)
    out = np.zeros(len(rows))
    for _ in range(runs):
        X, y = s.draw(rng, max(rows))
        new = s.draw(rng, 2000)[0]
        out += [s.risk(s.make().fit(X[:m], y[:m]), new) for m in rows]
    return tuple(out / runs)


def study(name: str, n: int, samples: int, runs: int, seed: int = 0) -> dict[str, list[Any]]:
    """(covered, width) of every quantity in every sample; None where the curve cannot tell."""
    s, rng = SETTINGS[name], np.random.default_rng([seed, n])
    found: dict[str, list[Any]] = defaultdict(list)
    for _ in range(samples):
        X, y = s.draw(rng, n)
        curve = learning_curve(s.make(), X, y, loss=s.loss, random_state=rng)
        rows = tuple(curve.sizes)
        risk = dict(zip((*rows, n, 2 * n, 5 * n), truths(name, (*rows, n, 2 * n, 5 * n), runs), strict=True))
        more = curve.extrapolate()
        for j, size in enumerate(rows):
            found["band" if j < len(rows) - 1 else "band, full"].append((curve.validation[j], risk[size]))
        for j, factor in enumerate((2, 5)):
            found[f"gain {factor}x"].append((more.gain[j], risk[n] - risk[factor * n]))
            found[f"loss {factor}x"].append((more.loss[j], risk[factor * n]))
    return found


def coverage(pairs: list[Any]) -> tuple[float, float]:
    """Share of the answers that cover, and share of answers."""
    told = [(e, t) for e, t in pairs if e.low is not None]
    hit = [e.low <= t <= e.high for e, t in told]
    return (float(np.mean(hit)) if hit else float("nan")), len(told) / len(pairs)


def row(name: str, n: int, found: dict[str, list[Any]]) -> str:
    """Return one line of the table: the coverage of one setting."""
    shares = [found[f"gain {f}x"][0][1] / found["loss 2x"][0][1] for f in (2, 5)]
    cells = [name, f"{n}", *(f"{100 * s:.1f}" for s in shares)]
    for quantity in QUANTITIES:
        hit, told = coverage(found[quantity])
        few = f" (of {100 * told:.0f} % told)" if told < 0.995 else ""
        cells.append("-" if told == 0.0 else f"{100 * hit:.1f}{few}")
    gains = [(e, t) for e, t in found["gain 2x"] if e.low is not None]
    width = np.median([(e.high - e.low) / t for e, t in gains])
    shown = np.mean([e.low is not None and e.low > 0.0 for e, _ in found["gain 2x"]])
    return "| " + " | ".join([*cells, f"{width:.1f}", f"{100 * shown:.0f}"]) + " |"


def main() -> None:
    """Simulate all settings and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200, help="samples a row of the table")
    parser.add_argument("--runs", type=int, default=300, help="training sets behind a true risk")
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 400])
    given = parser.parse_args()
    head = ["model", "rows", "true gain 2x, %", "5x, %", *QUANTITIES, "width/gain", "gain > 0 shown, %"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for n in given.rows:
        for name in SETTINGS:
            if given.only in name:
                print(row(name, n, study(name, n, given.samples, given.runs)), flush=True)


if __name__ == "__main__":
    main()
