"""The law of new targets under draws of parameters: posterior predictive draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.losses import check_targets
from empirisk.samplers.new_rows import known_part, new_rows, refuse_no_mean
from empirisk.samplers.words import real_array
from empirisk.typing import Array
from empirisk.wording import quoted

__all__ = ["Likelihood", "codes_of"]

# Halvings of a bracket: to its last digits where its ends are far apart.
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Likelihood:
    """A loss as the law of a target, given coefficients.

    Parameters
    ----------
    loss : Loss
        Of plain targets.
    dispersion : float
    columns : int
        Of the rows.
    intercept : bool
        Whether the last parameter is one.
    classes : sequence of two labels, optional
        Of a classifier: what its targets -1 and +1 stand for.
    model : fitted estimator, optional
        Which looks at new rows; without one columns are told by their places.
    """

    loss: Any
    dispersion: float
    columns: int
    intercept: bool
    classes: Any = None
    model: Any = None

    @property
    def statistics(self) -> Any:
        """What a predictive check looks at where nothing is named: names, or functions by name."""
        if self.loss.labels:
            label = "+1" if self.classes is None else str(self.classes[1])
            return {f"share of {label}": lambda y: float((y > 0.0).mean())}
        return ["mean", "sd", "zeros", "max"] if self.loss.counts else ["mean", "sd", "min", "max"]

    @property
    def loss_name(self) -> str:
        """The name of the loss whose law it is."""
        return str(self.loss.name)

    def targets(self, y: Any) -> Array:
        """Return targets as the loss reads them: numbers that it is defined for, or -1 and +1 for labels."""
        if self.classes is not None:
            return 2.0 * codes_of(y, self.classes) - 1.0
        if self.loss.labels:
            return codes_of(y, [-1.0, 1.0]) * 2.0 - 1.0
        out = finite_targets(y)
        check_targets(self.loss, out)
        return out

    def means(self, draws: Array, X: Any, offset: Any = None) -> Array:
        """Return the expected targets of rows X (n, p) under draws (chains, k, d), (chains, k, n)."""
        design = new_rows(X, self.columns, self.model)
        n = design.shape[0]
        known = 0.0 if offset is None else known_part(offset, n)
        k = draws.shape[0] * draws.shape[1]
        coefficients = draws[:, :, : self.columns].reshape(k, -1)
        with np.errstate(over="ignore", invalid="ignore"):  # no target is drawn where no mean is finite
            z = np.asarray(design.X @ coefficients.T).T.reshape(*draws.shape[:2], n)
            if self.intercept:
                z = z + draws[:, :, -1:]
            return np.asarray(self.loss.mean(z + known))

    def draw(self, means: Array, rng: np.random.Generator) -> Array:
        """Return a target for each mean: by inversion of the distribution function, or a label of two.

        Raises
        ------
        TypeError
            Where the loss has no distribution function.
        ValueError
            Where an expected target is beyond the largest number, by its row.
        """
        refuse_no_mean(means)
        u = rng.random(means.shape)
        if self.loss.labels:
            return np.where(u < means, 1.0, -1.0)
        if not self.loss.predictive:
            raise TypeError(
                f"loss {self.loss.name!r} has no distribution function to draw targets from; means(X) gives "
                "their means"
            )
        return self._inverse(u, means)

    def labelled(self, y: Array) -> Array:
        """Return drawn targets as the model that was sampled calls them."""
        if not self.loss.labels or self.classes is None:
            return y
        return np.asarray(self.classes)[(y > 0.0).astype(np.intp)]

    def _inverse(self, u: Array, means: Array) -> Array:
        """The smallest target whose distribution function reaches u, by doubling and bisection."""
        least = self.loss.y_domain.low - (1.0 if self.loss.counts else 0.0)
        low = np.full(means.shape, least)
        if least == -np.inf:
            low = _moved(means - 1.0, lambda y: self._reaches(y, means, u), means, -1.0)
        high = _moved(np.ceil(means) + 1.0, lambda y: ~self._reaches(y, means, u), means, 1.0)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            middle = np.floor(middle) if self.loss.counts else middle
            reached = self._reaches(middle, means, u)
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
            if self.loss.counts and (high - low <= 1.0).all():
                break
        return high

    def _reaches(self, y: Array, means: Array, u: Array) -> Any:
        """Whether the distribution function is u or more at y."""
        return np.asarray(self.loss.cdf(y, means, self.dispersion) >= u)


def codes_of(y: Any, classes: Any) -> Array:
    """Return the place of each target among the classes; targets that are none of them are refused."""
    y, classes = np.asarray(y), list(classes)
    if y.ndim != 1 or not len(y):
        raise ValueError(f"y must have shape (rows,), got {y.shape}")
    found = np.array([y == label for label in classes])
    if not found.any(axis=0).all():
        row = int(np.flatnonzero(~found.any(axis=0))[0])
        raise ValueError(
            f"y holds {str(y[row])!r} in row {row}, which is no class of the model "
            f"({quoted([str(c) for c in classes])})"
        )
    return np.asarray(np.argmax(found, axis=0), dtype=np.float64)


def finite_targets(y: Any) -> Array:
    """Return targets as numbers; other shapes, NaN and infinity are refused."""
    out = real_array("y", y)
    if out.ndim != 1 or not len(out) or not np.isfinite(out).all():
        raise ValueError(f"y must be an array of finite numbers of shape (rows,), got shape {out.shape}")
    return out


def _moved(ends: Array, inside: Any, means: Array, sign: float) -> Array:
    """Move ends away from the means, twice as far each time, until none lies inside."""
    size = np.ceil(np.abs(ends - means)) + 1.0  # whole, so that counts stay whole
    for _ in range(1100):
        stays = inside(ends)
        if not stays.any():
            break
        ends = np.where(stays, ends + sign * size, ends)
        size = 2.0 * size
    return ends
