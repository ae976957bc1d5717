"""Exponential families that users write down: ``p(x) = h(x) exp(eta . phi(x) - A(eta))``.

Where A is not given it is ``log int h exp(eta . phi)``, by quadrature or by a sum over counts; the mean and
the covariance of phi are integrals on the same nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import LINE, numbers
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.quadrature import NODES, REACH, Support, panel_nodes
from empirisk.distributions.shares import check_vector
from empirisk.typing import Array, Interval

__all__ = ["ExponentialFamily"]

# Counts that are summed up where a lattice has no end; the share of the sum that its last terms may have.
_COUNTS, _TAIL = 16_384, 1e-12
_STEPS = 200
# How far an A that is given may be from the integral, which kinks of phi make less exact.
_AGREE = 1e-5
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
        About where the mass lies on a support without ends, and how far it spreads.

    Raises
    ------
    ValueError
        An integral that does not converge at eta; an A that is not its logarithm.

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

    name = "exponential_family"
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
    )

    def __post_init__(self) -> None:
        if not isinstance(self.within, Interval):
            raise ValueError(f"within must be an empirisk.typing.Interval, got {self.within!r}")
        object.__setattr__(self, "eta", check_vector(self.name, "eta", self.eta, LINE))
        object.__setattr__(self, "discrete", bool(self.lattice))
        k = self.statistics(self._nodes()[0][:1]).shape[1]
        if k != len(self.eta):
            raise ValueError(f"phi gives {k} statistics and eta has {len(self.eta)} numbers; give as many")
        object.__setattr__(self, "_own", self.log_partition(self.eta))
        if not math.isfinite(self._own):  # type: ignore[attr-defined]
            raise ValueError(
                f"A is not finite at eta = {self.eta.tolist()}: give natural parameters at which h exp(eta "
                "phi) has a finite integral"
            )

        if self.A is not None:
            whole = self._integral(self.eta)
            own = self.log_partition(self.eta)
            if math.isfinite(whole) and abs(whole - own) > _AGREE * max(1.0, abs(whole)):
                raise ValueError(
                    f"A is {own:.6g} at eta = {self.eta.tolist()}, and the logarithm of the integral of h "
                    f"exp(eta phi) is {whole:.6g}: the density would not sum to 1; correct A, h or phi"
                )

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
        if self.h is None:
            return np.zeros(len(x))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(np.asarray(self.h(x), dtype=np.float64))

    def _nodes(self) -> tuple[Array, Array]:
        """The points that carry the law, and the logarithms of their widths."""
        if not self.lattice:
            x, width = Support(self.within, self.centre, self.scale).nodes()
            with np.errstate(divide="ignore"):
                return x, np.log(width)
        low, high = self.within.low, self.within.high
        if not math.isfinite(low):
            raise ValueError("within must have a lower end where lattice=True")
        x = np.arange(math.ceil(low), min(high, low + _COUNTS) + 1.0)
        return x, np.zeros(len(x))

    def _terms(self, eta: Array) -> tuple[Array, Array]:
        """The points, and the logarithms of ``h exp(eta . phi)`` times their widths."""
        x, log_width = self._nodes()
        with np.errstate(over="ignore", invalid="ignore"):
            terms = self.log_base(x) + self.statistics(x) @ eta + log_width
        return x, np.where(np.isnan(terms), -np.inf, terms)

    def _masses(self, eta: Array) -> tuple[Array, Array]:
        """The points that have mass, and their chances."""
        x, terms = self._terms(eta)
        mass = np.exp(terms - logsumexp(terms))
        return x[mass > 0.0], mass[mass > 0.0]

    def log_partition(self, eta: Array) -> float:
        """Return A(eta): as given, or the logarithm of the integral; infinite where it does not converge."""
        if self.A is not None:
            return float(self.A(eta))
        if eta is self.eta and hasattr(self, "_own"):
            return float(self._own)
        return self._integral(eta)

    def _integral(self, eta: Array) -> float:
        """The logarithm of the integral or the sum; infinite where mass lies at an open end of the nodes."""
        terms = self._terms(eta)[1]
        whole = float(logsumexp(terms))
        # Mass in the outermost panel is mass beyond it, too; a lattice with an end has no beyond.
        ends = [terms[-NODES:]] if self.lattice else [terms[:NODES], terms[-NODES:]]
        if self.lattice and self.within.high - self.within.low <= _COUNTS:
            ends = []
        open_ends = any(logsumexp(end) >= whole + math.log(_TAIL) for end in ends)
        return math.inf if open_ends or not math.isfinite(whole) else whole

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
        eta = self.natural
        value = self.log_partition(eta) - float(eta @ mean)
        for _ in range(_STEPS):
            gap = mean - self.mean_statistics(eta)
            step = np.linalg.lstsq(self.covariance_statistics(eta), gap, rcond=None)[0]
            scale = 1.0
            while scale > 1e-10:
                new = eta + scale * step
                reached = self.log_partition(new) - float(new @ mean)
                if reached <= value + 1e-15 * abs(value):
                    break
                scale *= 0.5
            else:
                break
            done = np.abs(scale * step).max() <= 1e-14 * max(1.0, np.abs(eta).max())
            eta, value = new, reached
            if done:
                break
        spread = np.sqrt(np.maximum(np.diag(self.covariance_statistics(eta)), 1e-300))
        left = float((np.abs(mean - self.mean_statistics(eta)) / spread).max())
        if not left < 1e-4:
            raise ValueError(
                f"no natural parameters were found at which phi has the mean {mean.tolist()} of the rows: it "
                "lies at the border of what phi can be, and the likelihood has no maximum; take more rows, "
                "or start from other eta"
            )
        return self.at(eta), left

    def log_prob(self, x: Any) -> Array:
        """Return ``log h(x) + eta . phi(x) - A(eta)``; -inf outside of the support."""
        rows = numbers(x)
        inside = self.within.contains(rows) & ((np.floor(rows) == rows) | (not self.lattice))
        safe = np.where(inside, rows, self._nodes()[0][0])
        log = self.log_base(safe) + self.statistics(safe) @ self.eta - self.log_partition(self.eta)
        return np.where(inside, log, -np.inf)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x: whole panels, and a part of one."""
        rows = numbers(x)
        points, log_terms = self._terms(self.eta)
        mass = np.exp(log_terms - logsumexp(log_terms))
        if self.lattice:
            reached = np.concatenate([[0.0], np.cumsum(mass)])
            return np.asarray(reached[np.searchsorted(points, rows, side="right")])
        place = Support(self.within, self.centre, self.scale)
        t = place.parameter(rows)
        first = np.minimum(np.floor(t), REACH - 1.0)
        panels = np.concatenate([[0.0], np.cumsum(mass.reshape(-1, NODES).sum(axis=1))])
        inner, width = panel_nodes(first, t)
        part = np.exp(self.log_prob(place.place(inner).ravel())).reshape(inner.shape)
        whole = panels[(first + REACH).astype(np.intp)]
        return np.asarray(np.minimum(whole + (part * place.slope(inner) * width).sum(axis=1), 1.0))

    def quantile(self, u: Any) -> Array:
        """Return where the distribution function reaches u: by Newton's method, or along sums of chances."""
        u = np.asarray(u, dtype=np.float64)
        if self.lattice:
            points, mass = self._masses(self.eta)
            at = np.searchsorted(np.cumsum(mass), u, side="left")
            return np.asarray(points[np.minimum(at, len(points) - 1)])
        place = Support(self.within, self.centre, self.scale)
        low, high = np.full(u.shape, -REACH), np.full(u.shape, REACH)
        mass = np.exp(self._terms(self.eta)[1] - self.log_partition(self.eta))
        first = np.searchsorted(np.cumsum(mass.reshape(-1, NODES).sum(axis=1)), u) - REACH
        low, high = np.maximum(low, first - 1.0), np.minimum(high, first + 2.0)
        t = 0.5 * (low + high)
        for _ in range(_STEPS):
            # Newton's steps, and the middle of the bracket where one would leave it.
            over = self.cdf(place.place(t)) - u
            low, high = np.where(over < 0.0, t, low), np.where(over < 0.0, high, t)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = t - over / (np.exp(self.log_prob(place.place(t))) * place.slope(t))
            new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
            done = np.all(np.abs(new - t) <= 1e-9)  # a step of Newton squares what is left
            t = new
            if done:
                break
        return place.place(t)

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
