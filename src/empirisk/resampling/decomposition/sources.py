"""Training sets: new ones from a generator, or bootstrap samples of the rows at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import check_length, classes_of, encode, finite, labels_of
from empirisk.evaluation.outputs import n_rows
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.sample import Sample

__all__ = ["Bootstrap", "Generated", "Generator"]

Generator = Callable[[np.random.Generator, int], Any]
TRIES = 100  # training sets in a row that may lack a class


class Generated:
    """New training sets of `n_train` rows, tested on one set of `n_test` rows.

    Parameters
    ----------
    generator : callable
        ``generator(rng, n)`` returns ``(X, y)``, or ``(X, y, mean)`` with the mean of y given x (class
        probabilities of shape (n,) for the second class, or (n, C), sorted by label).
    n_train, n_test : int
        Rows.
    classify : bool
        Whether y holds labels.
    rng : Generator
        For the test rows; every training set gets a seed of its own.
    """

    words = "over new training sets of {n} rows"
    groups = None

    def __init__(
        self, generator: Generator, n_train: int, n_test: int, classify: bool, rng: np.random.Generator
    ) -> None:
        self.generator, self.n_train = generator, n_train
        X, y, mean = self._draw(rng, n_test)
        self.X, self.classes, self.truth = X, None, None
        if classify:
            self.classes = classes_of(y)
            if self.classes.size < 2:
                raise ValueError(f"generator gave one class only ({self.classes[0]}) in {n_test} rows.")
            self.y = encode(y, self.classes).astype(np.float64)
            self.truth = None if mean is None else _probabilities(mean, n_test, self.classes.size)
        else:
            self.y = finite(y, "y of the generator")
            self.truth = None if mean is None else finite(labels_of(mean, "mean"), "mean of the generator")
            if self.truth is not None:
                check_length("the mean of the generator", self.truth.size, n_test)

    def _draw(self, rng: np.random.Generator, n: int) -> tuple[Any, NDArray[Any], Any]:
        got = self.generator(rng, n)
        if not isinstance(got, tuple) or len(got) not in (2, 3):
            raise ValueError(
                "generator(rng, n) must return (X, y) or (X, y, mean of y given x), got "
                f"{type(got).__name__ if not isinstance(got, tuple) else f'{len(got)} things'}."
            )
        X, y = got[0], labels_of(got[1], "y of the generator")
        if n_rows(X) != n or y.size != n:
            raise ValueError(f"generator was asked for {n} rows, got {n_rows(X)} of X and {y.size} of y.")
        return X, y, got[2] if len(got) == 3 else None

    def sets(self, count: int, rng: np.random.Generator) -> Iterator[tuple[Any, Any, NDArray[np.bool_]]]:
        """Return the training rows, their targets, and which test rows count (all)."""
        everywhere = np.ones(self.y.size, dtype=bool)
        for child in rng.spawn(count):
            for _ in range(TRIES):
                X, y, _ = self._draw(child, self.n_train)
                if self.classes is None or np.any(y != y[0]):
                    break
            else:
                raise ValueError(f"generator gave one class only in {TRIES} training sets running.")
            if self.classes is not None and (encode(y, self.classes) < 0).any():
                raise ValueError("generator gave a label in training that no test row has; raise n_test.")
            yield X, y, everywhere


class Bootstrap:
    """Bootstrap samples of n rows (of whole groups), tested on the rows outside each.

    Parameters
    ----------
    sample : Sample
        Checked rows.
    """

    words = "over bootstrap samples of the {n} rows"
    truth = None

    def __init__(self, sample: Sample) -> None:
        self.sample, self.X, self.n_train = sample, sample.X, sample.n
        self.classes, self.groups = sample.classes, sample.groups
        self.y: Floats = sample.like.y.astype(np.float64)

    def sets(self, count: int, rng: np.random.Generator) -> Iterator[tuple[Any, Any, NDArray[np.bool_]]]:
        """Return the training rows, their targets, and which rows are out of the bag."""
        n, y = self.sample.n, self.sample.y
        units = np.arange(n) if self.groups is None else self.groups
        members = int(units.max()) + 1
        order = np.argsort(units, kind="stable")
        ends = np.searchsorted(units[order], np.arange(members + 1))
        for child in rng.spawn(count):
            for _ in range(TRIES):
                drawn = child.integers(members, size=members)
                rows = np.concatenate([order[ends[u] : ends[u + 1]] for u in drawn])
                outside = np.ones(n, dtype=bool)
                outside[rows] = False
                if outside.any() and (self.classes is None or np.any(y[rows] != y[rows[0]])):
                    break
            else:
                raise ValueError("bootstrap samples hold one class only; the rarest class has too few rows.")
            yield take_rows(self.X, rows), y[rows], outside


def _probabilities(mean: Any, n: int, n_classes: int) -> Floats:
    table = finite(mean, "the class probabilities of the generator")
    if table.ndim == 1 and n_classes == 2:
        table = np.column_stack([1.0 - table, table])
    if table.shape != (n, n_classes):
        raise ValueError(
            f"the class probabilities of the generator have shape {np.shape(mean)}; give ({n},) for two "
            f"classes or ({n}, {n_classes})."
        )
    if table.min() < -1e-9 or np.abs(table.sum(axis=1) - 1.0).max() > 1e-6:
        raise ValueError("the class probabilities of the generator must lie in [0, 1] and sum to 1.")
    return table
