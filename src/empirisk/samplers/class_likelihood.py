"""The law of new classes under draws of the parameters of a softmax."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import softmax

from empirisk.samplers.likelihood import codes_of
from empirisk.samplers.new_rows import new_rows, refuse_no_mean
from empirisk.typing import Array

__all__ = ["ClassLikelihood"]


@dataclass(frozen=True)
class ClassLikelihood:
    """The softmax of scores as the law of a class.

    Parameters
    ----------
    classes : sequence
        Labels in the order of the codes.
    columns : int
        Of the rows.
    intercept : bool
        Whether the last parameters are intercepts, one for each class.
    model : fitted estimator, optional
        Which looks at new rows; without one columns are told by their places.
    """

    classes: Any
    columns: int
    intercept: bool
    model: Any = None

    @property
    def statistics(self) -> dict[str, Any]:
        """What a predictive check looks at where nothing is named: the share of each class."""
        return {f"share of {label}": partial(_share, code=k) for k, label in enumerate(self.classes)}

    @property
    def loss_name(self) -> str:
        """The name of the loss whose law it is."""
        return "softmax"

    def contrasts(self, names: list[str], draws: Array) -> tuple[list[str], Array]:
        """Return draws of the coefficients of each class minus those of the first, and their names.

        Parameters
        ----------
        names : list of str
            Of the parameters, by column and then by class.
        draws : array, shape (chains, n, d)
        """
        k = len(self.classes)
        by_class = draws.reshape(*draws.shape[:2], -1, k)
        differences = by_class[..., 1:] - by_class[..., :1]
        kept = [name for j, name in enumerate(names) if j % k]
        return kept, differences.reshape(*draws.shape[:2], -1)

    def targets(self, y: Any) -> Array:
        """Return the codes of labels, as draws of them are."""
        return codes_of(y, self.classes)

    def means(self, draws: Array, X: Any, offset: Any = None) -> Array:
        """Return the chances of classes of rows X (n, p) under draws (chains, m, d), (chains, m, n, k)."""
        design = new_rows(X, self.columns, self.model)
        if offset is not None:
            raise TypeError("draws of several classes take no offset; leave it out")
        shape = (*draws.shape[:2], -1, len(self.classes))
        by_row = draws.reshape(shape)
        p, rows = self.columns, design.shape[0]
        coefficients = np.moveaxis(by_row[:, :, :p], 2, 0).reshape(p, -1)
        with np.errstate(over="ignore", invalid="ignore"):  # no class is drawn where no chance is a number
            z = np.asarray(design.X @ coefficients).reshape(rows, *shape[:2], shape[3])
            z = np.moveaxis(z, 0, 2)
            if self.intercept:
                z = z + by_row[:, :, -1:, :]
            return np.asarray(softmax(z, axis=3))

    def draw(self, means: Array, rng: np.random.Generator) -> Array:
        """Return a code of a class for each row of chances, (chains, m, n), by inversion."""
        refuse_no_mean(means)
        u = rng.random(means.shape[:3])
        reached = np.cumsum(means, axis=3)[:, :, :, :-1] < u[:, :, :, None]
        return np.asarray(reached.sum(axis=3), dtype=np.float64)

    def labelled(self, y: Array) -> Array:
        """Return drawn codes as the labels that the model was fitted to."""
        return np.asarray(self.classes)[y.astype(np.intp)]


def _share(y: Array, code: int) -> float:
    """The share of a class among the codes of targets."""
    return float((y == code).mean())
