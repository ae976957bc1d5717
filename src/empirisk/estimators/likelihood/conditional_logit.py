"""Conditional logistic regression: matched sets of cases and controls, each with a level of its own.

Breslow and Day, Statistical Methods in Cancer Research I (1980), chapter 7.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.named_rows import refuse_name
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.row_scores import row_scores
from empirisk.estimators.documented import documented
from empirisk.estimators.label_codes import encode_labels, plain_label, refuse_mixed
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.estimators.log_probabilities import LogProbabilities, log_of
from empirisk.inference import Summary
from empirisk.losses import Logistic
from empirisk.penalties import Zero
from empirisk.problems.likelihood import LikelihoodProblem
from empirisk.problems.likelihoods.matched import Matched
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation
from empirisk.problems.separation.words import listing
from empirisk.typing import Array, IndexArray

__all__ = ["ConditionalLogit"]

# Pairs of a case and a control beyond which the search for a separating direction would take long.
PAIRS = 1_000_000


@documented(FactorColumns)
class ConditionalLogit(LogProbabilities, ClassifierMixin, LikelihoodEstimator):
    """Logistic regression within matched sets, given the number of cases of each set.

    ``min_w (1/S) sum_g s_g (log sum_{A in g, |A| = m_g} exp(sum_{j in A} x_j.w) - sum_{cases} x_j.w)
    + (alpha/2) ||w||^2``

    The sum over all subsets of m rows of a set is exact.  What the rows of a set share (its own intercept,
    columns that are constant in it) cancels.

    Parameters
    ----------
    alpha : float >= 0 or "1/n", default 0.0
        Strength on the mean-loss scale of the sets; 0 is maximum likelihood, for which :meth:`summary` has
        standard errors.
    tol : float, default 1e-12
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 200
        Step limit of Newton's method.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array of 2 labels
        The second is the case.
    coef_ : array, shape (p,)
        Log odds ratios.
    n_sets_ : int
        Sets with cases and controls, from which alone there is something to learn.
    uninformative_ : array
        Names of the sets without a case or without a control, which have no part in the fit.
    log_likelihood_ : float
        Of the cases given their number in each set.
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        A proved bound on ``F - min F`` by the curvature around the fit.
    solution_ : Solution
        Status, steps, trace.

    Raises
    ------
    SeparationError
        With alpha = 0, where a combination of columns is larger for the cases of every set.
    ValueError
        When no set has cases and controls, and for weights that differ within a set.

    Notes
    -----
    O(n m p^2) per Newton step for sets with m cases or controls, whichever are fewer; sparse columns are made
    dense.

    References
    ----------
    N. E. Breslow, N. E. Day, Statistical Methods in Cancer Research I (1980).  M. H. Gail, J. H. Lubin, L. V.
    Rubinstein, "Likelihood calculations for matched case-control studies", Biometrika 68 (1981).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> pair = np.repeat(np.arange(30), 2)
    >>> exposed = np.array([[1, 0]] * 15 + [[0, 1]] * 5 + [[1, 1]] * 4 + [[0, 0]] * 6).ravel()
    >>> case = np.tile([1, 0], 30)
    >>> model = er.ConditionalLogit().fit(exposed[:, None], case, groups=pair)
    >>> float(np.exp(model.coef_[0]).round(3))  # pairs that differ: 15 / 5
    3.0
    """

    classes_: Any
    n_sets_: int
    uninformative_: Any
    _unit: ClassVar[str] = "set"

    def __init__(
        self,
        *,
        alpha: float | str = 0.0,
        tol: float = 1e-12,
        max_iter: int = 200,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; float32 stays float32, other numbers become float64.
        y : array, shape (n,)
            Two labels; the second in sorted order is the case.
        sample_weight : array, shape (n,), optional
            Weights >= 0 of the sets, the same in all rows of a set; rows of weight 0 are absent, and a weight
            of 2 is the set twice.
        groups : array, shape (n,), optional
            The set of each row.  Without it all rows are one set: logistic regression given the number of
            cases.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups=groups)

    def problem(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> LikelihoodProblem:
        """Return the optimisation problem that ``fit`` solves on these data, for inspection."""
        return self._problem(X, y, sample_weight, groups=groups)

    # -- the problem --------------------------------------------------------------------------------

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)

    def _read_targets(self, y: Any, fitting: bool, n: int, **more: Any) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        if len(self.classes_) > 2:
            shown = ", ".join(repr(plain_label(c)) for c in self.classes_[:6])
            # scikit-learn's checks read the first sentence.
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass. y must hold "
                f"two labels, controls and cases, and it holds {len(self.classes_)}: {shown}"
            )
        names, sets = _sets(more.get("groups"), n)
        weight = more["weight"]
        model = Matched(np.zeros((n, 0)), codes == 1, sets, weight)
        _refuse_unequal(weight, sets, names)
        count, cases = model.counts
        if not len(model.informative):
            raise ValueError(
                "no set has a case and a control: nothing is left to compare; groups must say which rows "
                "were matched"
            )
        if fitting:
            self.n_sets_ = len(model.informative)
            self.uninformative_ = names[(count > 0) & ((cases == 0) | (cases == count))]
        return np.column_stack([codes, sets]).astype(np.float64)

    def _pose(self, design: Design, targets: Array, weight: Array, alpha: float) -> LikelihoodProblem:
        X = design.X.toarray() if design.sparse else design.X
        case, sets = targets[:, 0] == 1.0, targets[:, 1].astype(np.intp)
        return LikelihoodProblem(Matched(np.asarray(X, dtype=np.float64), case, sets, weight), alpha)

    def _no_maximum(self, why: str) -> ValueError:
        return SeparationError(why)

    def _why_not(self, problem: LikelihoodProblem, w: Array, ok: bool) -> str:
        """Return which columns are larger for all cases, found as the separation of differences of rows."""
        if ok or problem.alpha > 0.0:
            return ""
        model: Any = problem.likelihood
        X, taken = model._rows
        pieces: list[Array] = []
        for g in range(len(model.informative)):
            rows = model._set == g
            a, b = X[rows & taken], X[rows & ~taken]
            if sum(map(len, pieces)) + len(a) * len(b) > PAIRS:
                return ""
            pieces.append((a[:, None, :] - b[None, :, :]).reshape(-1, X.shape[1]))
        D = np.vstack(pieces)
        rows_ = ArrayBlocks(Design(D), np.ones(len(D)), np.ones(len(D)))
        names = [str(t) for t in self._terms_of(X.shape[1])]
        found = find_separation(LinearProblem(Logistic(), Zero(), rows_, False, 1.0, 0), names)
        if not found.separable:
            return ""
        used = [names[j] for j in found.columns] or names
        ties = "" if found.kind == "complete" else " or the same"
        return (
            f"the likelihood has no maximum: a combination of {listing(used)} is larger{ties} for the cases "
            "of every set; add a penalty (alpha > 0), or drop the columns that do so"
        )

    # -- public numbers -----------------------------------------------------------------------------

    def _set_numbers(self, problem: LikelihoodProblem, w: Array, dtype: Any) -> None:
        self.coef_ = w.astype(dtype)

    def _pack(self, problem: LikelihoodProblem) -> Array:
        return np.asarray(self.coef_, dtype=np.float64)

    def _public(self, problem: LikelihoodProblem) -> tuple[list[str], Array, Array]:
        p = len(self.coef_)
        return self._terms_of(p), np.asarray(self.coef_, dtype=np.float64), np.eye(p)

    def _about(self) -> dict[str, Any]:
        case = plain_label(self.classes_[1])
        notes = [f"coefficients are changes of the log odds of {case}, within a set"]
        if len(self.uninformative_):
            shown = listing([str(v) for v in self.uninformative_])
            notes.append(f"sets without a case or without a control have no part in it: {shown}")
        return {
            "title": "Conditional logistic regression", "notes": tuple(notes), "constants": (),
            "loss": "matched", "ratio": "odds ratio",
        }  # fmt: skip

    def _null(self, problem: LikelihoodProblem) -> tuple[float, int]:
        return self._log_likelihood(problem, problem.start()), 0

    def _unit_groups(self, problem: LikelihoodProblem, groups: Any) -> Any:
        """Return the group of each informative set; one that has rows in two groups is refused."""
        if groups is None:
            return None
        model: Any = problem.likelihood
        given = np.asarray(groups)
        if given.shape != (len(model.group),):
            raise ValueError(
                f"groups must have one entry per row, shape ({len(model.group)},), got {given.shape}"
            )
        kept = model._kept
        first = np.searchsorted(model._set, np.arange(len(model.informative)))
        of_set = given[kept][first]
        differs = given[kept] != of_set[model._set]
        if differs.any():
            row = int(kept[int(np.argmax(differs))])
            raise ValueError(
                f"row {row} lies in another group than other rows of its matched set: groups must hold whole "
                "sets"
            )
        return of_set

    # -- answers ------------------------------------------------------------------------------------

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        sets: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
        weights: str | None = None,
    ) -> Summary:
        """Log odds ratios with standard errors, tests and intervals.

        Parameters
        ----------
        X, y, sample_weight, sets
            The rows of the fit (`sets` are what ``fit`` had as `groups`), other rows are refused.  They may
            be left out while the estimator keeps them (up to 32 MiB; never in a pickle or copy).
        level : float, default 0.95
            Confidence level.
        covariance : str, default "classical"
            ``"classical"`` (observed information), ``"HC0"`` or ``"HC1"`` (sets whose law is another one),
            ``"cluster"`` (CR1) or ``"CR0"``, with `groups`.
        groups : array, shape (n,), optional
            Group of each row, in which whole sets lie, for the clustered kinds.
        weights : {"frequency", "sampling", "precision"}, optional
            What the weights are, as for the other linear models.

        Returns
        -------
        empirisk.inference.Summary
        """
        rows = {} if sets is None else {"groups": sets}
        problem = self._fitted_problem(X, y, sample_weight, **rows)
        return self._summary(problem, level, covariance, groups, weights)

    def predict_linear(self, X: Any) -> Array:
        """Return ``x.w`` of each row, shape (m,): differences within a set are log odds ratios."""
        check_is_fitted(self, "coef_")
        X = self._design(X)
        return row_scores(X, self.coef_.astype(X.dtype, copy=False))

    def predict_proba(self, X: Any, groups: Any = None) -> Array:
        """Return the chance of each row to be the case of its set, given that there is one; shape (m, 2).

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            Rows.
        groups : array, shape (m,), optional
            Their sets; without it all rows are one set.
        """
        z = self.predict_linear(X)
        _, sets = _sets(groups, len(z))
        chance = np.empty(len(z), dtype=z.dtype)
        order = np.argsort(sets, kind="stable")
        for rows in np.split(order, np.cumsum(np.bincount(sets))[:-1]):
            chance[rows] = softmax(z[rows])
        return np.column_stack([1.0 - chance, chance])

    def predict_log_proba(self, X: Any, groups: Any = None) -> Array:
        """Return the logarithms of :meth:`predict_proba`, shape (m, 2); a row alone in its set has a -inf.

        Parameters
        ----------
        X, groups
            As in :meth:`predict_proba`.
        """
        return log_of(self.predict_proba(X, groups))

    def predict(self, X: Any, groups: Any = None) -> Any:
        """Return the case for rows that are more likely than not the one case of their set, shape (m,).

        Parameters
        ----------
        X, groups
            As in :meth:`predict_proba`, whose chances rank the rows of a set.
        """
        chance = self.predict_proba(X, groups)
        return self.classes_[chance.argmax(axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # chances are about one case in the rows that are given
        return tags


def _sets(groups: Any, n: int) -> tuple[Any, IndexArray]:
    """Return the names of the sets and the number of each row's set; one set without groups."""
    if groups is None:
        return np.array([0]), np.zeros(n, dtype=np.intp)
    refuse_name("groups", groups)
    given = np.asarray(groups)
    if given.shape != (n,):
        raise ValueError(f"groups must have one entry per row, shape ({n},), got {given.shape}")
    if given.dtype.kind in "fO":
        missing = np.array([v is None or v != v for v in given], dtype=bool)
        if missing.any():
            raise ValueError(
                f"groups is missing in row {int(np.argmax(missing))}; drop the row or name its set"
            )
    names, sets = np.unique(given.astype(str) if given.dtype.kind == "O" else given, return_inverse=True)
    return names, sets.astype(np.intp)


def _refuse_unequal(weight: Array, sets: IndexArray, names: Any) -> None:
    """Refuse weights that differ within a set, by its name: a set is one observation."""
    most = np.zeros(len(names))
    np.maximum.at(most, sets, weight)
    wrong = (weight > 0.0) & (weight != most[sets])
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight is {weight[row]:g} in row {row} and {most[sets[row]]:g} in another row of set "
            f"{names[sets[row]]}: the rows of a set have one weight (0 takes a row out)"
        )
