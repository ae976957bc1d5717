"""Exponential families that users write down: ``p(x) = h(x) exp(eta . phi(x) - A(eta))``.

Where A is not given it is ``log int h exp(eta . phi)``, on panels that are halved until they agree with their
halves, or a sum over counts; the mean and the covariance of phi are integrals on the same nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.adaptive import Grid, resolve
from empirisk.distributions.base import LINE, numbers
from empirisk.distributions.count_sums import count_sum, whole_ends
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.family_fit import check_given, climb, starved, stopped
from empirisk.distributions.quadrature import NODES, Support, panel_nodes
from empirisk.distributions.shares import check_vector
from empirisk.typing import Array, Interval

__all__ = ["ExponentialFamily"]

# The share of an integral or a sum that may lie at its open end.
_TAIL = 1e-12
_STEPS = 200
# How exact an integral must be, as a share of itself.
_EXACT = 1e-7
# Grids that are kept: those of a step of Newton's method and of what is asked at its end.
_KEPT = 4
_HALF_LINE = Interval(0.0, math.inf, high_closed=False)


@dataclass(frozen=True, eq=False)
class ExponentialFamily(ExponentialMember):
    """``p(x) = h(x) exp(eta . phi(x) - A(eta))`` for one number x.

    Parameters
    ----------
    h : callable or None
        From numbers (n,) to the base measure (n,), >= 0; 1 when None.
    phi : callable or None
        From numbers (n,) to statistics (n,) or (n, k); x itself when None.
    A : callable or None
        From eta (k,) to the log-partition, infinite outside of its domain; computed when None.
    eta : sequence of floats, shape (k,), default (-1.0,)
        The natural parameters; a fit starts there.
    gradient, hessian : callable or None
        From eta to the mean (k,) and the covariance (k, k) of phi; by integrals on the nodes when None.
    within : Interval, default [0, inf)
        The support.
    lattice : bool, default False
        Whether only whole numbers have chances.
    centre, scale : float, default 0.0 and 1.0
        About where the mass lies on a support without ends, and how far it spreads, where panels begin: they
        are halved around peaks wherever these are, and fewer where they are known.
    log_h : callable or None
        From numbers (n,) to log h (n,), instead of h, for measures beyond floats (1/x! from x = 171 on).

    Raises
    ------
    ValueError
        An integral that does not converge at eta, or that halving the panels changes by more than 1e-7 of
        itself; a sum of which more than 1e-12 may be left after 1,048,576 counts; an h that leaves what
        floats hold where the law has mass; an A that is not the logarithm, a gradient or a hessian other
        than its derivatives.

    Notes
    -----
    The parameters of a fit are the entries of eta, so that the Fisher information is the covariance of phi.

    Examples
    --------
    >>> from empirisk.typing import Interval
    >>> wave = ExponentialFamily(None, np.cos, eta=(2.0,), within=Interval(-np.pi, np.pi))
    >>> round(wave.log_partition(wave.natural), 9) == round(float(np.log(2.0 * np.pi * np.i0(2.0))), 9)
    True
    """

    h: Callable[[Array], Any] | None = None
    phi: Callable[[Array], Any] | None = None
    A: Callable[[Array], Any] | None = None
    eta: Any = (-1.0,)
    gradient: Callable[[Array], Any] | None = None
    hessian: Callable[[Array], Any] | None = None
    within: Interval = _HALF_LINE
    lattice: bool = False
    centre: float = 0.0
    scale: float = 1.0
    log_h: Callable[[Array], Any] | None = None

    name = "exponential_family"
    closed_form = False
    by_name = False
    orders: ClassVar[tuple[int, ...]] = ()
    structure: ClassVar[tuple[str, ...]] = (
        "h",
        "phi",
        "A",
        "gradient",
        "hessian",
        "within",
        "lattice",
        "centre",
        "scale",
        "log_h",
    )

    def __post_init__(self) -> None:
        for name in ("h", "phi", "A", "gradient", "hessian", "log_h"):
            if not (getattr(self, name) is None or callable(getattr(self, name))):
                raise TypeError(f"{name} must be a function or None, got {getattr(self, name)!r}")
        if self.h is not None and self.log_h is not None:
            raise ValueError(
                "h and log_h are the same measure: give one of them, log_h where h leaves floats"
            )
        if not isinstance(self.within, Interval):
            raise ValueError(f"within must be an empirisk.typing.Interval, got {self.within!r}")
        object.__setattr__(self, "eta", check_vector(self.name, "eta", self.eta, LINE))
        object.__setattr__(self, "discrete", bool(self.lattice))
        k = self.statistics(self._first()).shape[1]
        if k != len(self.eta):
            raise ValueError(f"phi gives {k} statistics and eta has {len(self.eta)} numbers; give as many")
        own = self.log_partition(self.eta)
        if not math.isfinite(own) or (self.A is not None and starved(self, self._grid(self.eta))):
            raise self._unknown(self.eta)
        self._check_given(self.eta)

    @property
    def support(self) -> Interval:
        """The interval `within`, outside of which the law has no mass."""
        return self.within

    @property
    def coordinates(self) -> dict[str, tuple[float, Interval]]:
        """The natural parameters, in the order in which a fit estimates them."""
        return {f"eta[{j}]": (float(v), LINE) for j, v in enumerate(self.eta)}

    def at(self, theta: Array) -> Self:
        """Return the law with these natural parameters."""
        return self.with_parameters(eta=np.asarray(theta))

    @property
    def natural(self) -> Array:
        """The parameters eta, the natural parameters of this law."""
        return np.asarray(self.eta)

    def from_natural(self, eta: Array) -> Self:
        """Return the law with the natural parameters eta."""
        return self.at(eta)

    def natural_jacobian(self) -> Array:
        """Return the identity, the slope of the natural parameters."""
        return np.eye(len(self.eta))

    def statistics(self, x: Array) -> Array:
        """Return phi of each row, (n, k)."""
        value = np.asarray(x if self.phi is None else self.phi(x), dtype=np.float64)
        return value.reshape(len(x), -1) if len(x) else np.zeros((0, len(self.eta)))

    def log_base(self, x: Array) -> Array:
        """Return ``log h`` of each row, the logarithm of h for each row."""
        if self.log_h is not None:
            return np.asarray(self.log_h(x), dtype=np.float64)
        if self.h is None:
            return np.zeros(len(x))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(np.asarray(self.h(x), dtype=np.float64))

    @property
    def _place(self) -> Support:
        """The change of variable of the integrals over the support."""
        return Support(self.within, self.centre, self.scale)

    def _first(self) -> Array:
        """Return some point inside of the support, an array of shape (1,)."""
        if not self.lattice:
            return self._place.place(np.zeros(1))
        if not math.isfinite(self.within.low):
            raise ValueError("within must have a lower end where lattice=True")
        return np.array([whole_ends(self.within)[0]])

    def _terms(self, x: Array, eta: Array) -> tuple[Array, Array]:
        """The logarithms of ``h exp(eta . phi)`` at points, and phi."""
        phi = self.statistics(x)
        with np.errstate(all="ignore"):
            return np.asarray(self.log_base(x) + phi @ eta), phi

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored with the law: its fields, and not the grids that are kept."""
        return {name: value for name, value in self.__dict__.items() if name != "_grids"}

    def _grid(self, eta: Array) -> Grid:
        """The nodes that carry the law at eta, with their chances; those of the last few eta are kept."""
        key = np.asarray(eta, dtype=np.float64).tobytes()
        kept: dict[bytes, Grid] = self.__dict__.setdefault("_grids", {})
        if key not in kept:
            while len(kept) >= _KEPT:
                kept.pop(next(iter(kept)))
            grid = (
                count_sum(lambda x: self._terms(x, eta)[0], *whole_ends(self.within))
                if self.lattice
                else resolve(lambda x: self._terms(x, eta), self._place)
            )
            kept[key] = replace(grid, why=starved(self, grid) or grid.why)
        return kept[key]

    def _known(self, eta: Array) -> Grid:
        """The nodes that carry the law, or an error where they do not make the integral exact."""
        if not math.isfinite(self._integral(eta)):
            raise self._unknown(eta)
        return self._grid(eta)

    def _unknown(self, eta: Array) -> ValueError:
        """The error for an integral that does not converge, or is not known well enough."""
        grid = self._grid(eta)
        if grid.why:
            return ValueError(f"A is not known at eta = {eta.tolist()}: {grid.why}")
        if math.isfinite(grid.log_whole) and grid.ends < _TAIL and grid.error >= _EXACT:
            return ValueError(
                f"the integral of h exp(eta phi) at eta = {eta.tolist()} is known to {grid.error:.1g} of "
                f"itself only: the integrand is rough, or its logarithm, up to {grid.log_whole:.1g}, too "
                "large for floats; choose a narrower within, or write phi about where the rows are"
            )
        return ValueError(
            f"A is not finite at eta = {eta.tolist()}: give natural parameters at which h exp(eta phi) has a "
            "finite integral, and no mass nearer to an end of the support, or farther out, than 1e52 scales"
        )

    def _masses(self, eta: Array) -> tuple[Array, Array]:
        """The points that have mass, and their chances."""
        grid = self._known(eta)
        return grid.x[grid.mass > 0.0], grid.mass[grid.mass > 0.0]

    def log_partition(self, eta: Array) -> float:
        """Return A(eta): as given, or the logarithm of the integral; infinite where it does not converge."""
        return float(self.A(eta)) if self.A is not None else self._integral(eta)

    def _integral(self, eta: Array) -> float:
        """The logarithm of the integral or the sum; infinite where mass lies at an open end of the nodes."""
        grid = self._grid(eta)
        known = not grid.why and math.isfinite(grid.log_whole)
        known &= grid.ends < _TAIL and grid.error < _EXACT
        return grid.log_whole if known else math.inf

    def _check_given(self, eta: Array) -> None:
        """Refuse an A that is not the logarithm of the integral, and other derivatives than its own."""
        whole = self._integral(eta)
        if math.isfinite(whole) and any((self.A, self.gradient, self.hessian)):
            check_given(self, eta, whole, *self._masses(eta))

    def mean_statistics(self, eta: Array) -> Array:
        """Return the mean of phi, as given or on the nodes."""
        if self.gradient is not None:
            return np.asarray(self.gradient(eta), dtype=np.float64).reshape(-1)
        x, mass = self._masses(eta)
        return np.asarray(mass @ self.statistics(x))

    def covariance_statistics(self, eta: Array) -> Array:
        """Return the covariance of phi, as given or on the nodes."""
        k = len(eta)
        if self.hessian is not None:
            return np.asarray(self.hessian(eta), dtype=np.float64).reshape(k, k)
        x, mass = self._masses(eta)
        gap = self.statistics(x)
        gap = gap - mass @ gap
        return np.asarray((mass[:, None] * gap).T @ gap)

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the member at which phi has this mean, by Newton's method with halved steps."""
        eta, left = climb(self, mean)
        if left < 1e-4:
            return self.at(eta), left
        self._check_given(eta)
        whys = [grid.why for grid in self.__dict__.get("_grids", {}).values() if grid.why]
        raise ValueError(
            f"no natural parameters were found at which phi has the mean {mean.tolist()} of the rows: the "
            f"search ended at eta = {eta.tolist()}, {left:.2g} standard deviations away{stopped(whys)}"
        )

    def log_prob(self, x: Any) -> Array:
        """Return ``log h(x) + eta . phi(x) - A(eta)``; -inf outside of the support."""
        rows = numbers(x)
        inside = self.within.contains(rows) & ((np.floor(rows) == rows) | (not self.lattice))
        safe = np.where(inside, rows, self._first()[0])
        log = self.log_base(safe) + self.statistics(safe) @ self.eta - self.log_partition(self.eta)
        return np.where(inside, log, -np.inf)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x: whole panels, and a part of one."""
        rows, grid = numbers(x), self._known(self.eta)
        if self.lattice:
            reached = np.concatenate([[0.0], np.cumsum(grid.mass)])
            return np.asarray(np.minimum(reached[np.searchsorted(grid.x, rows, side="right")], 1.0))
        t = self._place.parameter(rows)
        first = np.clip(np.searchsorted(grid.cuts, t, side="right") - 1, 0, len(grid.cuts) - 2)
        panels = np.concatenate([[0.0], np.cumsum(grid.mass.reshape(-1, NODES).sum(axis=1))])
        inner, width = panel_nodes(grid.cuts[first], t)
        part = np.exp(self.log_prob(self._place.place(inner).ravel())).reshape(inner.shape)
        whole = panels[first] + (part * self._place.slope(inner) * width).sum(axis=1)
        return np.asarray(np.where(rows >= self.within.high, 1.0, np.clip(whole, 0.0, 1.0)))

    def quantile(self, u: Any) -> Array:
        """Return where the distribution function reaches u: by Newton's method, or along sums of chances."""
        chances = np.asarray(u, dtype=np.float64)
        u, grid, place = chances.ravel(), self._known(self.eta), self._place
        if self.lattice:
            points, mass = self._masses(self.eta)
            at = np.searchsorted(np.cumsum(mass), u, side="left")
            return np.asarray(points[np.minimum(at, len(points) - 1)]).reshape(chances.shape)
        panels = np.cumsum(grid.mass.reshape(-1, NODES).sum(axis=1))
        first = np.searchsorted(panels, u)
        low = grid.cuts[np.clip(first - 1, 0, len(panels))]
        high = grid.cuts[np.clip(first + 2, 0, len(panels))]
        t = 0.5 * (low + high)
        # A step of Newton squares what is left.
        exact = 1e-9 * np.minimum(1.0, high - low) + 4e-16 * np.abs(t)
        for _ in range(_STEPS):
            # Newton's steps, and the middle of the bracket where one would leave it.
            over = self.cdf(place.place(t)) - u
            low, high = np.where(over < 0.0, t, low), np.where(over < 0.0, high, t)
            with np.errstate(all="ignore"):
                new = t - over / (np.exp(self.log_prob(place.place(t))) * place.slope(t))
            new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
            done = np.all(np.abs(new - t) <= exact)
            t = new
            if done:
                break
        inner = np.where(u < 1.0, place.place(t), self.within.high)
        return np.asarray(np.where(u > 0.0, inner, self.within.low)).reshape(chances.shape)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws, the quantiles of uniform numbers."""
        return self.quantile(generator_of(random_state).random(size))

    def moments(self) -> tuple[float, float]:
        """Return mean and variance on the nodes."""
        x, mass = self._masses(self.eta)
        mean = float(mass @ x)
        return mean, float(mass @ (x - mean) ** 2)

    def entropy(self) -> float:
        """Return ``-E log p(x)`` on the nodes, the entropy of the law in nats."""
        x, mass = self._masses(self.eta)
        return float(-(mass @ self.log_prob(x)))
