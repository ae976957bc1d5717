"""Mixtures of linear regressions by EM: each row lies near one of K lines.

Quandt and Ramsey, Journal of the American Statistical Association 73 (1978); DeSarbo and Cron, Journal of
Classification 5 (1988).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks, Block
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_count,
    check_finite,
    check_numeric_targets,
    check_weights,
    naming_lone_weight,
)
from empirisk.estimators.clusters.gaussian_mixture import GaussianMixture
from empirisk.estimators.clusters.mixture_fit import MixtureFit, stretches, unit_weights
from empirisk.estimators.clusters.mixture_verify import recomputed
from empirisk.estimators.documented import documented
from empirisk.estimators.mixtures.regression_picture import picture
from empirisk.estimators.mixtures.regression_starts import line_starts
from empirisk.mixtures.base import Parts, TableFacts
from empirisk.mixtures.columns import column_ends
from empirisk.mixtures.regression import LinearRegressions
from empirisk.problems.latent import LatentProblem, facts_of
from empirisk.results import Certificate, unconfirmed
from empirisk.typing import Array

__all__ = ["RegressionMixture"]

# How rows are read; what is not finite is refused by its place, and not by scikit-learn.
READ: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "ensure_all_finite": False}


@documented(GaussianMixture)
class RegressionMixture(RegressorMixin, MixtureFit):
    """K lines, each of which a row (x, y) follows with some chance.

    ``f(y | x) = sum_k pi_k N(y; b_k0 + x.b_k, s_k^2)``; columns have no density.  Without y nothing tells the
    lines apart at a row, so that ``predict(X)`` is their mean by ``pi``; with y it is the mean by the chances
    given both.

    Parameters
    ----------
    n_components : int >= 1, list of int, "bic", "icl" or "aic", default 2
        How many lines, or numbers among which `criterion` chooses, as in :class:`GaussianMixture`.
    init : "random" or array, shape (n_components, 1 + p), default "random"
        Where starts are: chances that look drawn, row by row, or given lines, the constant first.
    n_init : int >= 1, default 10
        Starts, run and counted as in :class:`GaussianMixture`.
    criterion, tol, max_iter, random_state
        As in :class:`GaussianMixture`.

    Attributes
    ----------
    coef_ : array, shape (n_components_, p)
        Slopes of the lines, which are numbered by their first rows.
    intercept_ : array, shape (n_components_,)
        Constants.
    sigma_ : array, shape (n_components_,)
        Deviations of y from each line.
    log_likelihood_ : float
        ``sum_i s_i log f(y_i | x_i)``, weights as multiples of their unit.
    labels_ : array of int, shape (n,)
        The line of the largest chance of each row, given x and y.
    weights_, n_components_, n_iter_, starts_, selection_, solution_, certificate_
        As in :class:`GaussianMixture`.
    bic_, aic_, icl_
        As in :class:`GaussianMixture`.

    Raises
    ------
    ValueError
        For parameters out of range, columns or targets that are the same in all rows, more components than
        rows, and when every start degenerates: a line that fits its rows exactly, by its number.
    TypeError
        For sparse rows.

    Notes
    -----
    O(n K p^2) a step.  Rows are centred and scaled inside, so that units and a distant origin cost no digits.
    The likelihood has no maximum where a line runs through as many rows as it has coefficients; it is never
    bounded in silence, and starts that end there are counted.  A weight of 2 is the row twice.  DeSarbo and
    Cron 1988, Journal of Classification 5.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-3.0, 3.0, (300, 1))
    >>> y = np.where(np.arange(300) % 3 == 0, 1.0 + 2.0 * x[:, 0], -x[:, 0]) + 0.3 * rng.normal(size=300)
    >>> model = er.RegressionMixture([1, 2, 3]).fit(x, y)
    >>> model.n_components_, model.coef_.ravel().round(1).tolist(), model.weights_.round(1).tolist()
    (2, [2.0, -1.0], [0.3, 0.7])
    """

    coef_: Array
    intercept_: Array
    sigma_: Array
    _family: LinearRegressions

    def __init__(
        self,
        n_components: Any = 2,
        *,
        init: Any = "random",
        n_init: int = 10,
        criterion: str = "bic",
        tol: float = 1e-5,
        max_iter: int = 2000,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the lines to the rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            float32 stays float32, other numbers become float64.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent, but for its label, and a weight of 2 is the row twice.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            X, y = self._read(X, y, reset=True)
            problem = self._problem(X, y, check_weights(sample_weight, len(y)), 1)
            self._family = problem.family  # type: ignore[assignment]  # it has made it
            self._choose(problem)
        self._warn()
        return self

    def problem(
        self, X: Any, y: Any, sample_weight: Any = None, n_components: int | None = None
    ) -> LatentProblem:
        """Return what is minimised for these rows: the mean negative log-likelihood, over the parameters.

        Parameters
        ----------
        X : array, shape (n, p)
            Rows.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0.
        n_components : int, optional
            The parameter of that name, or the chosen number, where it is left out.
        """
        X, y = np.asarray(X), np.asarray(y, dtype=np.float64)
        number = getattr(self, "n_components_", self.n_components) if n_components is None else n_components
        k = check_count("n_components", number, 1)
        return self._problem(X, y, check_weights(sample_weight, len(y)), k)

    def _problem(self, X: Array, y: Array, weight: Array, k: int) -> LatentProblem:
        names = getattr(self, "feature_names_in_", None)
        data = ArrayBlocks(Design(X), y, unit_weights(weight))
        LinearRegressions().check(Block(data.design, y, data.weight, 0), names)
        LinearRegressions().check_table(*column_ends(data), names)
        facts = facts_of(data, 0.0, names)
        targets = facts_of(ArrayBlocks(Design(y[:, None]), y, data.weight))
        family = LinearRegressions(
            facts.mean, facts.deviations, float(targets.mean[0]), float(targets.deviations[0])
        )
        return LatentProblem(family, data, k, 0.0, facts)

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Array, Array]:
        """Return rows as :meth:`_read_rows` does, and targets; both are refused by place."""
        check_numeric_targets(y)
        with numbers_only(X, y):
            X, y = validated(self, X, y, reset=reset, y_numeric=True, **READ)
        return self._finite(X), np.asarray(y, dtype=np.float64)

    def _read_rows(self, X: Any) -> Array:
        """Return new rows as a C-ordered array; NaN and infinity are refused by place."""
        with numbers_only(X):
            X = validated(self, X, reset=False, **READ)
        return self._finite(X)

    def _finite(self, X: Array) -> Array:
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        return X

    def _begun(self, problem: LatentProblem, seed: int) -> list[Callable[[], Array]]:
        return line_starts(problem, self.init, self.n_init, seed)

    def _public(self, parts: Parts) -> dict[str, Array]:
        """Return slopes, constants and deviations in the units of x and y."""
        return dict(zip(("coef_", "intercept_", "sigma_"), self._family.lines(parts), strict=True))

    def _densities(self, X: Any, y: Any) -> tuple[Array, Array, Array]:
        """Return rows, the logarithms of the densities of y, and the chances of the lines."""
        check_is_fitted(self, "_parts")
        X, y = self._read(X, y, reset=False)
        self._family.check(Block(Design(X), y, np.ones(len(y)), 0), getattr(self, "feature_names_in_", None))
        problem = LatentProblem(
            self._family,
            ArrayBlocks(Design(X), y, np.ones(len(y))),
            self.n_components_,
            given_facts=TableFacts(float(len(y)), np.zeros(X.shape[1]), np.ones(X.shape[1])),
        )
        found = list(stretches(problem, self.solution_.w))
        return X, np.concatenate([f[1] for f in found]), np.concatenate([f[2] for f in found])

    def predict_lines(self, X: Any) -> Array:
        """Return the value of each line at each row, shape (m, n_components_).

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        """
        check_is_fitted(self, "_parts")
        X = self._read_rows(X)
        return np.asarray(self._family.heights(self._parts, X).astype(X.dtype, copy=False))

    def predict(self, X: Any, y: Any = None) -> Array:
        """Return the expected target of each row, shape (m,): the mean of the lines.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        y : array, shape (m,), optional
            Targets, which tell the lines apart: their mean by the chances given x and y.  By ``weights_``
            where they are left out.
        """
        check_is_fitted(self, "_parts")
        if y is None:
            X = self._read_rows(X)
            mean = self._family.heights(self._parts, X) @ self.weights_
        else:
            X, _, chance = self._densities(X, y)
            mean = (self._family.heights(self._parts, X) * chance).sum(axis=1)
        return np.asarray(mean.astype(X.dtype, copy=False))

    def predict_proba(self, X: Any, y: Any = None) -> Array:
        """Return the chances of the lines given each row and its target, shape (m, n_components_).

        Without y they are those of the fit, ``weights_``, in every row: X alone says nothing about the line.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        y : array, shape (m,), optional
            Targets, which tell the lines apart.
        """
        check_is_fitted(self, "_parts")
        if y is None:
            return np.tile(self.weights_, (len(self._read_rows(X)), 1))
        return self._densities(X, y)[2]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2 of ``predict(X)``, the mean of the lines: what searches maximise unless told otherwise.

        It says how well targets are foretold without knowing the lines, and next to nothing of how many lines
        there are: for that maximise the mean of :meth:`log_density`, or leave the choice to a criterion
        (``n_components="bic"``).

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        y : array, shape (m,)
            Targets.
        sample_weight : array, shape (m,), optional
            Weights of the rows.
        """
        return float(super().score(X, y, sample_weight))

    def log_density(self, X: Any, y: Any) -> Array:
        """Return the logarithm of the density of each target given its row, shape (m,).

        It is ``score_samples`` of :class:`GaussianMixture` with targets.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        y : array, shape (m,)
            Targets.
        """
        return self._densities(X, y)[1]

    def plot(
        self, X: Any, y: Any, sample_weight: Any = None, *, column: int | None = None, ax: Any = None
    ) -> Any:
        """Draw the rows and the lines over one column, the others at their means.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
            Rows.
        y : array, shape (m,)
            Targets.
        sample_weight : array, optional
            Ignored: shares are those of the fit.
        column : int, optional
            Which column; the one in which the slopes differ most for its spread when left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        return self._chart(X, y, column).plot(ax)

    def _chart(self, X: Any, y: Any, column: int | None = None) -> Any:
        """Return the Display of the rows and the lines, before it is drawn."""
        from empirisk.plots.regression_mixture import RegressionMixtureDisplay

        chance = self.predict_proba(X, y)
        X, y = self._read(X, y, reset=False)
        at = None if column is None else check_count("column", column, 0)
        return RegressionMixtureDisplay(picture(self, X, y, chance, at))

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Recompute the likelihood and one step of EM in plain NumPy."""
        check_is_fitted(self, "_parts")
        X, y = self._read(X, y, reset=False)
        if len(y) != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, and these are {len(y)}")
        problem = self._problem(X, y, check_weights(sample_weight, len(y)), len(self.weights_))
        own: Any = problem.family
        if not all(np.allclose(getattr(own, n), getattr(self._family, n), rtol=1e-6) for n in vars(own)):
            return unconfirmed("the rows have another centre or spread than those of the fit")
        problem = LatentProblem(self._family, problem.data, problem.n_parts, given_facts=problem.facts)
        chances = (chance for _, _, chance in stretches(problem, self.solution_.w))
        return recomputed(self, problem, chances, self._free(problem.n_parts, problem))

    def _headline(self) -> str:
        """The claim of the certificate; nothing before the fit."""
        return self.certificate_.claim if hasattr(self, "certificate_") else ""
