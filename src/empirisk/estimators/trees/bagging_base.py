"""What bagged classifiers and regressors share: draws, members, out-of-bag predictions and their errors."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import Tags, check_array, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from empirisk.data.as_before import as_before
from empirisk.data.plain_numbers import COMPLEX, complex_refused, names_in_order, refuse_odd_table
from empirisk.data.seeds import check_seed
from empirisk.data.sparse_cells import canonical
from empirisk.data.threads import check_jobs
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_count, check_flag, check_weights, naming_lone_weight
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.label_codes import weigh_classes
from empirisk.estimators.same_rows import refuse_other_fit, row_print
from empirisk.estimators.trees.bagging_members import (
    Member,
    Plan,
    Said,
    fit_member,
    refusal_of_all_rows,
    said_by,
    seeded,
    size_of,
    takes_weights,
)
from empirisk.estimators.trees.member_access import MemberAccess
from empirisk.inference.held_out_loss import held_out_loss
from empirisk.results import Certificate, Estimate, Kind, Solution, Status
from empirisk.trees.auto_size import ForestSize, auto_size
from empirisk.trees.out_of_bag_tally import OutOfBagTally
from empirisk.typing import Array, IndexArray

__all__ = ["BaggingEnsemble"]

# Parameters that no member depends on: they may change between warm starts.
FREE = ("n_estimators", "n_jobs", "warm_start")
BOUNDS = {"error rate": 1.0, "Brier score": 2.0}  # of losses that have one
OUT_OF_BAG = (
    "the vote of the members that did not see the row, a smaller ensemble; rows count as independent, which "
    "the shared members make approximate"
)


class BaggingEnsemble(MemberAccess, MetaEstimatorMixin, Estimator):
    """Base of the bagged ensembles; a subclass says what targets are and how members vote."""

    estimator: Any
    n_estimators: Any
    warm_start: Any
    solution_: Solution
    n_features_in_: int
    estimators_: list[Any]
    _columns: list[Any]
    _discarded: list[int]
    _print: int | None  # of the rows, for a warm start
    _fitted_with: dict[str, Any] | None
    _said: Said | None

    _elsewhere: ClassVar[dict[str, str]] = {
        "oob_score": "out-of-bag scores are always there: oob_score_, and oob_risk_ with its interval"
    }

    # -- what a subclass gives ----------------------------------------------------------------------

    def _targets(self, y: Any) -> tuple[Any, int]:
        """Return what members are fitted to, and the number of classes (0: numbers)."""
        raise NotImplementedError

    def _default(self) -> Any:
        """Return the member when none is given."""
        raise NotImplementedError

    def _soft(self, member: Any) -> bool:
        """Return whether the members give probabilities, which are averaged; labels are counted."""
        raise NotImplementedError

    def _smooth_losses(self, said: Array, y: Array) -> Array:
        """Return a smooth loss of the mean of the members, which the Monte-Carlo error is about."""
        raise NotImplementedError

    def _out_of_bag(self, said: Array, known: Any, y: Array, weight: Array) -> None:
        """Set the out-of-bag predictions and risks."""
        raise NotImplementedError

    # -- fitting ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw rows and fit the members.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Whatever the estimator takes.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0.  With bootstrap, rows are drawn in proportion to them; without, the members get
            them. 0 equals the row's absence.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        check_jobs(self.n_jobs)
        X = self._checked(X, fitting=True)
        check_consistent_length(X, y)
        member = self._default() if self.estimator is None else self.estimator
        targets, k = self._targets(y)
        weight = check_weights(sample_weight, len(targets))
        if k:
            weigh_classes(None, self.classes_, targets, weight)  # refuses rows of one class alone
        plan = self._plan(weight, targets, k)
        if plan.bootstrap_features and hasattr(X, "columns"):
            raise ValueError(
                "bootstrap_features=True draws columns twice, and no data frame has two of one name: give X "
                "as an array, or set bootstrap_features=False"
            )
        if not plan.bootstrap and np.ptp(plan.weight) > 0.0 and not takes_weights(member):
            raise ValueError(
                f"sample_weight without bootstrap goes to the members, and {type(member).__name__} takes "
                "none; set bootstrap=True, where rows are drawn in proportion to their weights"
            )
        self._unheard = ""
        self._voting = (k, self._soft(member))
        warm = check_flag("warm_start", self.warm_start)
        seen = row_print(X, targets, weight) if warm else None
        made_with = self._that_matter(plan.seed) if warm else None
        before = self._before(seen, made_with) if warm else None
        there = before is not None
        members: list[Any] = list(self.estimators_) if there else []
        columns: list[Any] = list(self._columns) if there else []
        discarded: list[int] = list(self._discarded) if there else []

        def grow(m: int) -> list[Member]:
            numbers = range(len(members), len(members) + m)
            one = delayed(fit_member)
            try:
                with Parallel(n_jobs=self.n_jobs) as pool:
                    new = list(pool(one(member, X, targets, weight, plan, b, *self._voting) for b in numbers))
            except Exception as error:
                if (refused := refusal_of_all_rows(member, X, targets, weight, error)) is None:
                    raise
                raise refused from error
            # What they said is summed and forgotten, and so are the rows, which the plan can draw again.
            members.extend(m.model for m in new)
            columns.extend(m.draw.columns for m in new)
            discarded.extend(m.draw.discarded for m in new)
            return new

        said = before or Said.nothing(len(targets), max(1, k))
        tally = self._tally(grow, targets, weight, plan, said)
        self._print, self._fitted_with, self._said = (seen, made_with, said) if warm else (None, None, None)
        self.estimators_ = members
        self._drawn, self._discarded = replace(plan, codes=None), discarded
        self._columns = columns
        every = np.arange(plan.n_columns)
        self.estimators_features_ = [every if c is None else c for c in columns]
        self.n_estimators_ = len(members)
        self._measure(tally, targets, weight)

    def _plan(self, weight: Array, targets: Any, k: int) -> Plan:
        live = np.flatnonzero(weight > 0.0)
        bootstrap = check_flag("bootstrap", self.bootstrap)
        n_draws = size_of("max_samples", self.max_samples, len(live), None if bootstrap else len(live))
        p = self.n_features_in_
        n_features = size_of("max_features", self.max_features, p, p)
        seed = check_seed(self.random_state)
        twice = check_flag("bootstrap_features", self.bootstrap_features)
        codes = targets if k else None
        return Plan(live, weight[live], p, n_draws, n_features, bootstrap, seed, codes, twice)

    def _tally(self, grow: Any, y: Array, weight: Any, plan: Plan, said: Said) -> OutOfBagTally:
        def losses(mean: Any, rows: Any) -> Any:
            return self._smooth_losses(mean, y[rows])

        self.size_: ForestSize | None = None
        if isinstance(self.n_estimators, str):
            if self.n_estimators != "auto":
                raise ValueError(f'n_estimators must be an integer >= 1 or "auto", got {self.n_estimators!r}')
            if plan.n_draws >= len(plan.live) and not plan.bootstrap:
                raise ValueError(
                    'n_estimators="auto" needs out-of-bag rows: bootstrap=True or max_samples < 1'
                )
            if self.warm_start:
                raise ValueError(
                    'n_estimators="auto" fits as many members as are needed: set warm_start=False'
                )
            self.size_, tally = auto_size(
                lambda m: Said.nothing(*said.sums.shape[1:]).add(grow(m)).total(), losses, weight=weight
            )
            return tally
        m, first = check_count("n_estimators", self.n_estimators, 1), int(said.members.sum())
        if m < first:
            raise ValueError(
                f"n_estimators={m} is less than the {first} members there are; warm_start only adds some"
            )
        size = max(1, math.ceil((m - first) / 20))
        for start in range(first, m, size):
            said.add(grow(min(size, m - start)))
        tally = OutOfBagTally(losses, weight)
        tally.add_groups(said.sums, said.counts, said.members)
        return tally

    def _before(self, seen: int | None, made_with: Any) -> Said | None:
        """Return what the members that there are said; None before the first fit."""
        if getattr(self, "estimators_", None) is None:
            return None
        refuse_other_fit(self, seen, made_with)
        assert self._said is not None  # noted together with the rows
        return Said(self._said.sums.copy(), self._said.counts.copy(), self._said.members.copy())

    def _that_matter(self, seed: int) -> dict[str, Any]:
        """Return the parameters that decide what a member is and says, safe from later changes."""
        params = self.get_params(deep=False) | {"random_state": seed}
        if self.estimator is not None:
            params["estimator"] = seeded(self.estimator, None)
        return {name: value for name, value in params.items() if name not in FREE}

    def _measure(self, tally: OutOfBagTally, y: Array, weight: Array) -> None:
        said, count = tally.predictions()
        known = (count > 0) & (weight > 0.0)
        self._out_of_bag(said, known, y, weight)
        try:
            risk = tally.risk()
        except ValueError as e:
            certificate = Certificate(Kind.NONE, math.inf, 1.0, f"none: {e}")
            self.monte_carlo_error_ = math.nan
        else:
            self.monte_carlo_error_ = risk.mc_error
            claim = (
                f"other seeds move the out-of-bag {self._smooth} {risk.risk:.3g} by {risk.mc_error:.2g} (one "
                f"standard deviation; other rows by {risk.standard_error:.2g})"
            )
            certificate = Certificate(Kind.MONTE_CARLO, risk.mc_error, risk.standard_error, claim)
        reasons = [self._unheard, "" if self.size_ is None else self.size_.reason]
        note = "; ".join(reason for reason in reasons if reason)
        self.solution_ = Solution(
            np.zeros(0), Status.COMPLETED, certificate, self.n_estimators_, note=note, solver="bagging"
        )

    def _risk(self, losses: Array, known: Any, weight: Array, what: str) -> Estimate:
        """Return the mean loss over the out-of-bag rows, with its interval."""
        if not known.any():
            why = "no row is out-of-bag: set bootstrap=True or max_samples < 1"
            return Estimate(math.nan, None, None, 0.95, 0, "", why, what)
        return held_out_loss(losses, weight[known], bound=BOUNDS.get(what), target=f"{what} of {OUT_OF_BAG}")

    # -- predicting ---------------------------------------------------------------------------------

    def _checked(self, X: Any, fitting: bool) -> Any:
        """X as the members take it: frames and sparse matrices as they are, else an array of any type."""
        refuse_odd_table(X)
        if hasattr(X, "columns"):
            with names_in_order():
                validate_data(self, X, reset=fitting, skip_check_array=True)
            if 0 in np.shape(X):
                raise ValueError(f"X has shape {np.shape(X)}; at least one row and one column are needed")
            return X
        if not sp.issparse(X):
            try:
                X = check_array(X, dtype=None, ensure_all_finite=False, input_name="X", estimator=self)
            except ValueError as error:
                if COMPLEX in str(error):
                    raise complex_refused("X") from None
                raise
            validate_data(self, X, reset=fitting, skip_check_array=True)
            return X
        return validated(
            self,
            canonical(X),
            reset=fitting,
            accept_sparse=["csr", "csc"],
            dtype=None,
            ensure_all_finite=False,
        )

    def _each(self, X: Any) -> Any:
        """Return what each member says about X, shape (n, k)."""
        check_is_fitted(self)
        X = self._checked(X, fitting=False)
        for model, columns in zip(self.estimators_, self._columns, strict=True):
            yield said_by(model, X, columns, *self._voting)

    def _mean(self, X: Any) -> Array:
        total: Any = 0.0
        for said in self._each(X):
            total = total + said
        return np.asarray(total / self.n_estimators_)

    @property
    def estimators_samples_(self) -> list[IndexArray]:
        """Rows of each member, as often as drawn; drawn again from the seed at each call."""
        check_is_fitted(self)
        draws = (self._drawn.draw(b, tried) for b, tried in enumerate(self._discarded))
        return [np.repeat(d.rows, d.counts) for d in draws]

    def monte_carlo_error(self, X: Any) -> Array:
        """Standard error of the predictions over seeds: the spread of the members over the root of their
        number.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
            Rows.

        Returns
        -------
        array, shape (m,) for numbers, (m, K) for the shares of classes
            NaN with one member. Says nothing about the luck of the training rows.
        """
        mean, square, m = self._mean(X), 0.0, self.n_estimators_
        for said in self._each(X):
            square = square + (said - mean) ** 2
        error = np.sqrt(square / (m * (m - 1.0))) if m > 1 else np.full(mean.shape, np.nan)
        return np.asarray(error if self._voting[0] else error[:, 0])

    def _told(self) -> list[str]:
        unheard = getattr(self, "_unheard", "")
        return [*super()._told(), *([f"{unheard[:1].upper()}{unheard[1:]}."] if unheard else [])]

    @property
    def certificate_(self) -> Certificate:
        """How far this ensemble can be from one of infinitely many members, by the Monte-Carlo error."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._default() if self.estimator is None else self.estimator).input_tags
        for name in ("sparse", "allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, getattr(inner, name))
        return tags
