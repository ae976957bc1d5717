"""Langevin steps for penalties with kinks."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance

__all__ = ["ProximalLangevin"]


@dataclass(frozen=True)
class ProximalLangevin(Sampler):
    """``w' = w - h C g(w) + sqrt(2 h) L z``, ``g = grad f + (w - prox_t(w)) / t``, accepted by the true ``U =
    f + P``.

    The proximal map of the penalty P takes the place of its gradient, where P has kinks (an L1 penalty, a
    sum of norms of groups) or is infinite outside of a set.  Since steps are accepted by U itself, the law
    of the chain is the target for every t; t is one over the largest curvature of f at the first point.
    Pereyra, Statistics and Computing 26, 2016; t as in Durmus, Moulines and Pereyra, SIAM Journal on Imaging
    Sciences 11, 2018.

    Parameters
    ----------
    target_acceptance : float in (0, 1), default 0.574

    Examples
    --------
    >>> from empirisk.samplers import sample
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
    >>> model = er.Lasso(alpha=0.1).fit(X, [1.0, 0.0, 1.1, 0.8])
    >>> found = sample(model, method="proximal_langevin", draws=100, dispersion=0.1)
    >>> found.draws.shape
    (4, 100, 3)
    """

    target_acceptance: float = 0.574

    name = "proximal_langevin"
    proximal = True

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)

    @property
    def move(self) -> str:
        """The adjusted Langevin transition, which any direction of drift leaves exact."""
        return "mala"

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance
