"""Mixtures of any family by EM: rows of zeros and ones, counts, shares of a total, Gaussians."""

from __future__ import annotations

from typing import Any

from empirisk.estimators.clusters.gaussian_mixture import GaussianMixture
from empirisk.estimators.clusters.mixture_base import MixtureBase
from empirisk.estimators.documented import documented
from empirisk.mixtures import family_of
from empirisk.mixtures.base import Family

__all__ = ["Mixture"]


@documented(GaussianMixture)
class Mixture(MixtureBase):
    """Clusters whose rows have a density of a given family, by EM from several starts.

    The density is ``sum_k pi_k f(x; theta_k)``; a row belongs to the part of the largest chance given it.

    Parameters
    ----------
    n_components
        As in :class:`GaussianMixture`.
    family : str or Family, default "bernoulli"
        ``"bernoulli"`` for cells of 0 and 1 (latent classes), ``"poisson"`` for counts, ``"multinomial"`` for
        counts of which the total of a row says nothing, or any row of :data:`empirisk.mixtures.REGISTRY`.
    init, n_init, criterion, ridge, tol, max_iter, random_state
        As in :class:`GaussianMixture`.

    Attributes
    ----------
    probabilities_, rates_, shares_ : array, shape (n_components_, p)
        The parameters of the family: chances of a 1, rates, or shares; ``means_`` and ``covariances_`` of
        Gaussians.
    weights_, labels_, n_components_, log_likelihood_, n_iter_, starts_, selection_, solution_, certificate_
        As in :class:`GaussianMixture`.
    bic_, aic_, icl_
        As in :class:`GaussianMixture`.

    Raises
    ------
    ValueError
        For cells outside the domain of the family, by column and row; for parameters out of range; when every
        start degenerates.
    TypeError
        For sparse rows of Gaussian families; the others take them, and cost O(K) a cell that is stored.

    Notes
    -----
    O(n K p) a step.  A ridge serves Gaussian families alone; the others have bounded likelihoods, which count
    factorials.  Parts of different families cannot be mixed.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    >>> er.Mixture(2, family="bernoulli").fit(X).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    family: Any

    def __init__(
        self,
        n_components: Any = 1,
        *,
        family: Any = "bernoulli",
        init: Any = "k-means++",
        n_init: int = 5,
        criterion: str = "bic",
        ridge: float = 0.0,
        tol: float = 1e-5,
        max_iter: int = 2000,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _chosen_family(self) -> Family:
        return family_of(self.family)
