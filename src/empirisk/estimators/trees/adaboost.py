"""AdaBoost: a weighted vote of small trees, each grown on rows that the vote so far gets wrong.

Freund and Schapire, Journal of Computer and System Sciences 55 (1997).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.design import Design
from empirisk.data.seeds import check_seed
from empirisk.estimators.agreement import agreeing
from empirisk.estimators.checks import check_choice, check_count, check_number
from empirisk.estimators.folds import hold_out
from empirisk.estimators.log_probabilities import softmax_logs
from empirisk.estimators.trees.tree_base import TreeClassifier, dense
from empirisk.estimators.trees.verify_vote import verify_vote
from empirisk.estimators.trees.vote_members import (
    ClassifierMembers,
    Members,
    StumpMembers,
    TreeMembers,
    mean_importances,
    member_scores,
)
from empirisk.estimators.trees.vote_stopping import MarginStop, NeverStop, Stop, ValidationStop, named
from empirisk.inference.early_stop import Stopping
from empirisk.results import Certificate, Solution, Status, TracePoint
from empirisk.trees.structure import Trees
from empirisk.trees.vote_certificate import vote_certificate
from empirisk.trees.vote_rounds import RoundRecord, VoteRounds, normalised_margins
from empirisk.typing import Array, IndexArray

__all__ = ["AdaBoostClassifier"]

BY_ROUND = (
    "training_error",
    "training_error_bound",
    "least_margins",
    "edges",
    "estimator_errors",
    "estimator_weights",
)


class AdaBoostClassifier(TreeClassifier):
    """``F(x) = sum_t alpha_t h_t(x)``: each member h_t is fitted to the rows that those before got wrong.

    Rows start with equal weights D.  Round t finds the member with the least weighted error eps_t, adds it
    with ``alpha_t = rate/2 log((1 - eps_t)/eps_t)``, and multiplies the weight of row i by ``exp(-y_i
    alpha_t h_t(x_i))``, y = -1 or 1.  This is coordinate descent on the exponential loss ``mean exp(-y
    F(x))``, which is the product of ``Z_t = 2 sqrt(eps_t (1 - eps_t))`` (rate 1) and bounds the training
    error.

    Parameters
    ----------
    n_estimators : int, default 100
        Rounds, unless one of the reasons below ends them before.
    variant : {"discrete", "real"}, default "discrete"
        "discrete": members name classes (AdaBoost; SAMME for K > 2).  "real": the leaves of a member say
        ``log(p/(1 - p))/2``, p the weighted share of class 1 (Schapire and Singer 1999; SAMME.R for K > 2).
    max_depth : int, default 1
        Depth of the members.  Stumps (1) are the best of all: every threshold, both sides for missing values,
        for two classes every set of categories.  Deeper trees are grown greedily, by Gini's measure.
    learning_rate : float > 0, default 1.0
        Factor on every vote.
    estimator : classifier, optional
        Members of another kind: any classifier that takes sample_weight (`max_depth` then has no meaning).
    early_stopping : None, "margin" or "validation", default None
        "margin": stop when the smallest margin of the training rows has not risen by 0.001 for
        `n_iter_no_change` rounds.  "validation": stop when the error on held-out rows has not fallen for as
        many.  The best number of rounds is kept.
    validation_fraction : float in (0, 1), default 0.1
        Share of the distinct rows that is held out, by class.
    n_iter_no_change : int, default 20
        Patience of early stopping, in rounds.
    categorical_features : "from_dtype", None or list, default "from_dtype"
        Columns of categories: those of a frame with a type of categories or text, none, or names, numbers or
        flags.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class.
    n_jobs : int, optional
        Threads of the search for the best stump; default all that OpenMP has.  The result does not depend on
        it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the held-out rows and of an `estimator` with seeds; None is 0.

    Attributes
    ----------
    trees_ : Trees
        The members, with their votes as leaf values (absent with `estimator`).
    estimators_ : list
        The fitted members (only with `estimator`).
    estimator_weights_, estimator_errors_, edges_ : array, shape (T,)
        alpha_t, eps_t, and ``1 - eps_t K/(K - 1)``.
    training_error_, training_error_bound_ : array, shape (T,)
        Share of misclassified weight after each round, and the product of the Z up to it.
    least_margins_ : array, shape (T,)
        Smallest normalised margin after each round.
    margins_ : array, shape (n,)
        ``y F(x) / sum of |alpha|`` of each training row, in [-1, 1]; for K > 2 the votes for the row's
        class minus the most votes for another.  NaN for rows without weight and held-out rows.
    reach_ : float
        The sum that margins are divided by: ``sum of |alpha|``, or of the members' largest margins.
    margin_bound_ : float
        No vote of stumps has a smallest margin above this (the least of the largest edges, by the minimax
        theorem); NaN where largest edges are not known.
    n_estimators_ : int
        Rounds kept.
    validation_ : Stopping or None
        What the held-out rows said.
    classes_ : array, shape (K,)
        Sorted labels.
    n_features_in_ : int
        Columns.
    solution_ : Solution
        With a trace of the rounds: exponential loss, and the edge (the slope of its logarithm) as
        certificate value.
    certificate_ : Certificate
        Two classes, stumps: EXACT where the vote separates the rows (the infimum is 0, so that the loss is
        the gap), else DUALITY_GAP to the least loss of the votes with the same total weight.  Otherwise
        NONE, with the reason.

    Raises
    ------
    ValueError
        Parameters out of range, fewer than two classes, infinite numbers, text in columns that are not
        categories.

    Notes ----- Sorting costs O(p n log n) once, a round with stumps O(n p).  The rounds end early when a
    member makes no error (its vote is limited by adding 1e-4 to both class weights) or when none is better
    than guessing (an edge of 1e-12 or less). Weights of rows are repetitions.

    References
    ----------
    Freund & Schapire 1997; Schapire & Singer 1999; Schapire, Freund, Bartlett & Lee 1998 (margins);
    Friedman, Hastie & Tibshirani 2000 (the logistic link); Zhu, Zou, Rosset & Hastie 2009 (SAMME).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1, 1])
    >>> model = er.AdaBoostClassifier(n_estimators=10).fit(X, y)
    >>> model.training_error_[[0, -1]].round(3), bool(model.training_error_bound_[-1] < 0.5)
    (array([0.2, 0. ]), True)
    >>> model.predict([[0.0], [4.0], [7.0]])
    array([0, 1, 0])
    """

    trees_: Trees
    estimators_: list[Any]
    validation_: Stopping | None

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        variant: str = "discrete",
        max_depth: int = 1,
        learning_rate: float = 1.0,
        estimator: Any = None,
        early_stopping: str | None = None,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 20,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    # -- fitting ------------------------------------------------------------------------------------

    def _grow(self, table: Table, targets: Array, weight: Array) -> None:
        n_rounds = check_count("n_estimators", self.n_estimators, 1)
        real = check_choice("variant", self.variant, {"discrete": False, "real": True})
        table = dense(table)
        y, k = targets.astype(np.int32), len(self.classes_)
        held = self._held_out(table, targets, weight)
        live = np.flatnonzero((weight > 0.0) & ~held)
        base = weight[live] / weight[live].sum()
        rows = Table(table.X[live], table.n_categories, table.names)
        members = self._members(rows, y[live], real, n_rounds)
        stop = self._stop(table, y, weight, held)
        rounds = VoteRounds(np.ascontiguousarray(y[live]), base, k, real)
        note = _run(rounds, members, stop, n_rounds)
        kept = stop.rounds(len(rounds.records))
        if kept < len(rounds.records):
            note = f"kept {kept} of {len(rounds.records)} rounds by early_stopping={self.early_stopping!r}"
        self._learn(members, rounds.records[:kept], max(1, kept))
        self._measure(members, rounds, rows, kept, live, len(y), note)
        watch = getattr(stop, "watch", None)
        self.validation_ = None if watch is None else watch.result()

    def _held_out(self, table: Table, targets: Array, weight: Array) -> Any:
        known = {None: False, "margin": False, "validation": True}
        if self.early_stopping not in known:
            raise ValueError(
                f'early_stopping must be None, "margin" or "validation", got {self.early_stopping!r}'
            )
        if not known[self.early_stopping]:
            return np.zeros(len(targets), dtype=bool)
        share = check_number("validation_fraction", self.validation_fraction, 0.0, 1.0, closed=False)
        held = hold_out(Design(table.X), targets, weight, share, check_seed(self.random_state), stratify=True)
        if not held.any():
            raise ValueError(
                f"validation_fraction = {share:g} of {len(targets)} rows holds out no row; give more rows or "
                "a larger fraction"
            )
        return held

    def _stop(self, table: Table, y: IndexArray, weight: Array, held: Any) -> Stop:
        patience = check_count("n_iter_no_change", self.n_iter_no_change, 1)
        if self.early_stopping is None:
            return NeverStop()
        if self.early_stopping == "margin":
            return MarginStop(patience)
        start = int(np.bincount(y[~held], weights=weight[~held]).argmax())
        return ValidationStop(table.X[held], y[held], weight[held], len(self.classes_), start, patience)

    def _members(self, rows: Table, y: Any, real: bool, n_rounds: int) -> Members:
        rate = check_number("learning_rate", self.learning_rate, 0.0, closed=False)
        depth, k = check_count("max_depth", self.max_depth, 1), len(self.classes_)
        if self.estimator is None:
            if depth == 1:
                return StumpMembers(rows, y, k, real, rate)
            return TreeMembers(rows, y, k, real, rate, depth)
        if not is_classifier(self.estimator):
            raise TypeError(f"estimator must be a classifier, got {type(self.estimator).__name__}")
        seeds = np.random.default_rng(check_seed(self.random_state)).integers(2**31 - 1, size=n_rounds)
        return ClassifierMembers(self.estimator, rows.X, y, self.classes_, real, rate, seeds)

    def _learn(self, members: Any, records: list[RoundRecord], n: int) -> None:
        """Set the members and what their rounds measured."""
        for name in ("trees_", "estimators_"):
            self.__dict__.pop(name, None)
        if self.estimator is None:
            self.trees_ = members.trees(len(records))
        else:
            self.estimators_ = members.fitted[: len(records)]
        self.n_estimators_ = n
        column = {
            f: np.array([getattr(r, f) for r in records] or [0.0]) for f in RoundRecord.__dataclass_fields__
        }
        self.estimator_weights_, self.estimator_errors_ = column["weight"], column["member_error"]
        self.edges_, self.least_margins_ = column["edge"], column["least_margin"]
        self.training_error_, self.training_error_bound_ = column["error"], column["bound"]
        self._losses = column["loss"]

    def _measure(
        self,
        members: Members,
        rounds: VoteRounds,
        rows: Table,
        kept: int,
        live: IndexArray,
        n: int,
        note: str,
    ) -> None:
        """Margins, and the certificate of the vote that is kept."""
        score: Array = rounds.score
        weight: Array = rounds.weight
        reach = rounds.reach
        if kept < len(rounds.records):
            score = self._scores(rows.X)
            reach = float(sum(rounds.reaches[:kept]))
            weight = rounds.weights_of(score)
        margins = normalised_margins(score, rounds.y, reach)
        self.margins_ = np.full(n, np.nan)
        self.margins_[live] = margins
        self.reach_ = reach
        loss, two = float(self._losses[-1]) if kept else 1.0, len(self.classes_) == 2
        edge = members.largest_edge(weight) if two else None
        tilt = float((weight * margins).sum()) * reach
        certificate = vote_certificate(loss, float(margins.min()), tilt, reach, edge, len(self.classes_))
        known = [] if edge is None else [edge, *(self.edges_ if self.variant == "discrete" else [])]
        self.margin_bound_ = float(min(known, default=np.nan))
        steps = zip(self._losses, self.edges_, strict=True)
        trace = tuple(TracePoint(t + 1, float(f), float(e), t + 1.0) for t, (f, e) in enumerate(steps))
        del self._losses
        self.solution_ = Solution(
            np.zeros(0),
            Status.COMPLETED,
            certificate,
            self.n_estimators_,
            float(len(trace)),
            trace,
            note=note,
            solver="adaboost",
        )

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Certificate:
        """Return the certificate of the vote, computed anew for ``er.verify``."""
        return verify_vote(self, X, y, sample_weight)

    # -- the vote -----------------------------------------------------------------------------------

    def _scores(self, X: Any) -> Array:
        """F of encoded rows, shape (n, k)."""
        if self.estimator is None:
            return np.asarray(self.trees_.predict(X))
        score: Array = self._no_scores(X)
        for said in self._member_scores(X):
            score = score + said
        return score

    def _no_scores(self, X: Any) -> Array:
        return np.zeros((X.shape[0], 1 if len(self.classes_) == 2 else len(self.classes_)))

    def _member_scores(self, X: Any) -> Iterator[Array]:
        """Return what each member adds to the scores."""
        if self.estimator is None:
            leaf = self.trees_.apply(X)
            for t, root in enumerate(self.trees_.start[:-1]):
                yield self.trees_.value[root + leaf[:, t]]
        else:
            # Without a member better than guessing there is one weight, 0, and the scores stay 0.
            for member, w in zip(self.estimators_, self.estimator_weights_, strict=False):
                yield member_scores(member, w, X, self.classes_, self.variant == "real", self.learning_rate)

    def decision_function(self, X: Any) -> Array:
        """F(x): shape (n,) for two classes (positive: the second), (n, K) with sum 0 for more."""
        score = self._scores(self._encoded(X))
        return score[:, 0] if score.shape[1] == 1 else score

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Return the scores F(x) after each round, as an iterator."""
        X = self._encoded(X)
        score: Array = self._no_scores(X)
        for said in self._member_scores(X):
            score = score + said
            yield score[:, 0] if score.shape[1] == 1 else score

    def predict(self, X: Any) -> Any:
        """Return the class with the most votes (ties: the first), shape (n,)."""
        score = self._scores(self._encoded(X))
        return self.classes_[named(score)]

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Return the predicted classes after each round, as an iterator."""
        for score in self.staged_decision_function(X):
            yield self.classes_[named(score.reshape(len(score), -1))]

    def predict_proba(self, X: Any) -> Array:
        """``1/(1 + exp(-2 F))`` for two classes, ``softmax(F)`` for more, shape (n, K).

        The minimiser of the expected exponential loss over all functions is half the log-odds, hence this
        link (Friedman, Hastie and Tibshirani 2000).  With many rounds F overshoots, and the numbers are too
        close to 0 and 1: calibrate them on held-out rows before use.
        """
        return _linked(self._scores(self._encoded(X)))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Return the probabilities after each round, as an iterator."""
        for score in self.staged_decision_function(X):
            yield _linked(score.reshape(len(score), -1))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Return the accuracy after each round, as an iterator.

        Parameters
        ----------
        X, y : as in ``fit``
        sample_weight : array, shape (n,), optional
            Weights >= 0.
        """
        for said in self.staged_predict(X):
            yield float(accuracy_score(y, said, sample_weight=sample_weight))

    def _log_probabilities(self, X: Any) -> Array:
        score = self._scores(self._encoded(X))
        return softmax_logs(2.0 * score if score.shape[1] == 1 else score)

    def _encoded(self, X: Any) -> Any:
        check_is_fitted(self)
        return dense(self._table(X)).X

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form of the rounds and margins, which the charts of ``er.plots`` take."""
        check_is_fitted(self)
        margins = np.sort(self.margins_[~np.isnan(self.margins_)])
        thin = np.unique(np.linspace(0, len(margins) - 1, min(len(margins), 1000)).round().astype(int))
        return {
            "rounds": self.n_estimators_,
            "n_rows": len(margins),
            "margins": margins[thin].tolist(),
            "margin_bound": None if np.isnan(self.margin_bound_) else self.margin_bound_,
            "certificate": self.certificate_.claim,
            **{name: getattr(self, f"{name}_").tolist() for name in BY_ROUND},
        }

    @property
    def feature_importances_(self) -> Array:
        """Share of each column in the decrease of the members' weighted errors, shape (p,), of sum 1 or 0.

        With an `estimator` it is the mean of the members' own importances, by the sizes of their votes.
        """
        check_is_fitted(self)
        if self.estimator is not None:
            return mean_importances(self.estimators_, self.estimator_weights_)
        trees = self.trees_
        inner = trees.feature >= 0
        total = np.bincount(trees.feature[inner], weights=trees.gain[inner], minlength=trees.n_features)
        return np.asarray(total / total.sum() if total.sum() > 0.0 else total)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = tags.input_tags.sparse = False
        return tags


def _linked(score: Array) -> Array:
    """Return ``1/(1 + exp(-2 F))``, or softmax(F), of scores of shape (n, k)."""
    both = np.hstack([-score, score]) if score.shape[1] == 1 else score
    e = np.exp(both - both.max(axis=1, keepdims=True))
    return agreeing(e / e.sum(axis=1, keepdims=True), score)


def _run(rounds: VoteRounds, members: Members, stop: Stop, n_rounds: int) -> str:
    """Return the rounds; why they ended, where not by their number."""
    for t in range(n_rounds):
        leaf, vote = members.next(rounds.weight)
        if vote.failed:
            return (
                f"ended after {t} rounds: under the next weights no member is better than guessing (the weak "
                "learning assumption fails)"
            )
        record = rounds.step(leaf, vote)
        members.keep(vote)
        done = stop.look(record, members)
        if vote.perfect:
            return f"ended after {t + 1} rounds with a member that makes no error"
        if done:
            return f"ended after {t + 1} rounds by early stopping"
    return ""
