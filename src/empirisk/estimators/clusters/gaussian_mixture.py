"""Mixtures of Gaussians by EM.

Dempster, Laird and Rubin, Journal of the Royal Statistical Society B 39 (1977); Celeux and Govaert, Pattern
Recognition 28 (1995), on the covariances that the three letters name.
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_count
from empirisk.estimators.clusters.mixture_base import MixtureBase
from empirisk.estimators.clusters.mixture_picture import picture
from empirisk.mixtures import family_of
from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["GaussianMixture"]


class GaussianMixture(MixtureBase):
    """Clusters that are Gaussians, by EM from several starts.

    The density is ``sum_k pi_k N(x; m_k, Sigma_k)``; a row belongs to the part of the largest chance given
    the row.

    Parameters
    ----------
    n_components : int >= 1, list of int, "bic", "icl" or "aic", default 1
        How many parts.  Several numbers are all fitted, and `criterion` chooses; a criterion's name tries 1
        to 9.
    covariance : str, default "full"
        What the covariances share, by name or by the three letters of mclust (volume, shape, orientation; E
        equal, V varying, I along the axes): see :data:`empirisk.mixtures.REGISTRY`.
    init : {"k-means++", "random"} or array, shape (n_components, p), default "k-means++"
        Where starts are: seeds with a few steps of k-means, random chances, or given means.
    n_init : int >= 1, default 5
        Starts, each run until its gradient norm is at most 1e-3; the one of the largest likelihood there is
        finished.  Those that degenerate are left out and counted.
    criterion : {"bic", "icl", "aic"}, default "bic"
        What chooses among several numbers; the smallest value wins.
    ridge : float >= 0, default 0.0
        0 is the likelihood alone, whose degenerate maxima are refused.  c > 0 penalises each part by ``c
        tr(Sigma_k^-1 V) / 2`` a row, V being the variances of the columns: the likelihood is bounded then.
    tol : float >= 0, default 1e-5
        Stop when the gradient norm of the certificate is at most this.
    max_iter : int >= 1, default 2000
        Steps from each start: pairs of steps of EM that are extrapolated where the ascent allows it, and
        quasi-Newton steps near the end.
    random_state : int, Generator, RandomState or None, default None
        Seed of the starts; None is 0.

    Attributes
    ----------
    weights_ : array, shape (n_components_,)
        Shares of the parts, which are numbered by their first rows.
    means_ : array, shape (n_components_, p)
        Means.
    covariances_ : array
        (n_components_, p, p) for families of full matrices, (p, p) for ``"tied"``, variances (n_components_,
        p) for diagonal ones, (n_components_,) for spherical ones, (p,) and one number where these are tied.
    labels_ : array of int, shape (n,)
        The part of each row.
    n_components_ : int
        How many parts.
    log_likelihood_ : float
        ``sum_i s_i log f(x_i)``, weights as multiples of their unit.
    bic_, aic_, icl_ : float
        ``d log n - 2 L``, ``2 d - 2 L``, and BIC plus twice the uncertainty of the labels.
    n_iter_ : int
        Steps of the best start.
    starts_ : Starts
        How each start ended, or where it was left.
    selection_ : MixtureSelection
        The criterion of every number, with differences and their standard errors.
    solution_ : Solution
        Parameters in one array, status and trace.
    certificate_ : Certificate
        The gradient norm in the metric of complete data, and how the starts agree.

    Raises
    ------
    ValueError
        For parameters out of range, more components than rows, and when every start degenerates: a part that
        collapses on equal rows, or whose rows lie in a plane, by its number.
    TypeError
        For sparse rows.

    Notes
    -----
    O(n K p^2) a step for full matrices and O(n K p) for diagonal ones, over blocks of rows; the bits do not
    depend on the number of threads.  A weight of 2 is the row twice.

    References
    ----------
    Celeux and Govaert 1995, Pattern Recognition 28; Fraley and Raftery 2002, Journal of the American
    Statistical Association 97.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0.0, 1.0, (200, 2)), rng.normal(8.0, 2.0, (100, 2))])
    >>> model = er.GaussianMixture([1, 2, 3]).fit(X)
    >>> model.n_components_, model.weights_.round(2).tolist()
    (2, [0.67, 0.33])
    """

    means_: Array
    covariances_: Array
    ridge: Any
    covariance: Any

    def __init__(
        self,
        n_components: Any = 1,
        *,
        covariance: Any = "full",
        init: Any = "k-means++",
        n_init: int = 5,
        criterion: str = "bic",
        ridge: float = 0.0,
        tol: float = 1e-5,
        max_iter: int = 2000,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _chosen_family(self) -> GaussianFamily:
        family = family_of(self.covariance, "covariance", GaussianFamily)
        if not isinstance(family, GaussianFamily):
            raise ValueError(
                f"covariance must name a family of Gaussians, got {self.covariance!r}; er.Mixture takes the "
                "other families"
            )
        return family

    def plot(self, X: Any, sample_weight: Any = None, *, columns: Any = None, ax: Any = None) -> Any:
        """Draw rows, means and the ellipses that hold half and nine tenths of each part.

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        sample_weight : array, optional
            Ignored: shares are those of the fit.
        columns : pair of int, optional
            Which columns; the two along which the means differ most for their spread when left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        return self._chart(X, columns=columns).plot(ax)

    def _chart(self, X: Any, sample_weight: Any = None, columns: Any = None) -> Any:
        """Return the Display of rows, means and ellipses, before it is drawn."""
        from empirisk.plots.mixture import MixtureDisplay

        labels = self.predict(X)
        X = self._read(X, reset=False)
        if columns is not None:
            columns = [check_count("columns", c, 0) for c in columns]
        matrices = self._chosen_family().matrices(self._parts)
        names = getattr(self, "feature_names_in_", None)
        means = self._parts["means"]
        return MixtureDisplay(picture(X, labels, self.weights_, means, matrices, columns, names))
