"""Members of a bagged ensemble: what each draws, how it is fitted, and what it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from empirisk.estimators.checks import is_flag
from empirisk.estimators.training import release
from empirisk.estimators.trees.forest_plan import MOST_DRAWS
from empirisk.typing import Array, IndexArray

__all__ = ["Draw", "Member", "Plan", "Said", "fit_member", "refusal_of_all_rows", "said_by", "seeded"]

# A draw with one class only is drawn again, so many times.
REDRAWS = 100
GROUPS = 20  # of members, behind the Monte-Carlo error


class Draw(NamedTuple):
    """Distinct rows in ascending order, how often each was drawn, columns (None: all), a seed, and how many
    draws of one class only came before.
    """

    rows: IndexArray
    counts: IndexArray
    columns: IndexArray | None
    seed: int
    discarded: int


@dataclass(frozen=True)
class Plan:
    """How rows and columns are drawn: member b has random numbers of its own, from the seed and b alone.

    Parameters
    ----------
    live : array of int
        Rows with positive weight.
    weight : array
        Their weights: with replacement, rows are drawn in proportion to them.
    n_columns : int
        p.
    n_draws, n_features : int
        Rows and columns that a member draws.
    bootstrap : bool
        Whether rows are drawn with replacement.
    seed : int
        Of the ensemble.
    codes : array of int or None
        Classes of the rows: every draw has at least two. None for a regression.
    bootstrap_features : bool, default False
        Whether columns are drawn with replacement.

    Examples
    --------
    >>> plan = Plan(np.arange(5), np.ones(5), 3, 5, 2, True, 0)
    >>> draw = plan.draw(0)
    >>> int(draw.counts.sum()), len(draw.columns)
    (5, 2)
    """

    live: IndexArray
    weight: Array
    n_columns: int
    n_draws: int
    n_features: int
    bootstrap: bool
    seed: int
    codes: IndexArray | None = None
    bootstrap_features: bool = False

    def draw(self, member: int, discarded: int | None = None) -> Draw:
        """What member number `member` sees; ValueError when draws find one class only.

        A draw that was made before is found again by how many it discarded, without the classes.
        """
        rng = np.random.default_rng([self.seed, member])
        share = None if np.ptp(self.weight) == 0.0 else self.weight / self.weight.sum()
        for tried in range(REDRAWS):
            if self.bootstrap:
                times = np.bincount(
                    rng.choice(len(self.live), self.n_draws, p=share), minlength=len(self.live)
                )
            else:
                times = np.zeros(len(self.live), dtype=np.intp)
                times[rng.choice(len(self.live), self.n_draws, replace=False)] = 1
            drawn = np.flatnonzero(times)
            rows = self.live[drawn]
            if tried == discarded:
                break
            if discarded is None and (self.codes is None or len(np.unique(self.codes[rows])) > 1):
                break
        else:
            raise ValueError(
                f"{REDRAWS} draws of {self.n_draws} rows held one class only: raise max_samples, or give "
                "more rows of the other classes"
            )
        columns = None
        if self.n_features < self.n_columns or self.bootstrap_features:
            columns = np.sort(rng.choice(self.n_columns, self.n_features, replace=self.bootstrap_features))
        return Draw(rows, times[drawn], columns, int(rng.integers(2**31 - 1)), tried)


class Member(NamedTuple):
    """A fitted member, its draw, the rows that it did not see, and what it says about them, (m, k)."""

    model: Any
    draw: Draw
    unseen: IndexArray
    said: Array


class Said(NamedTuple):
    """Sums of what members say about rows that they did not see, by group: member b in group b mod 20.

    Sums have shape (groups, n, k), the numbers of members behind them (groups, n), and those of all members
    (groups,).  Members come in their order, so that sums have the same bits in however many calls.
    """

    sums: NDArray[np.float64]
    counts: NDArray[np.intp]
    members: NDArray[np.intp]

    @classmethod
    def nothing(cls, n: int, k: int) -> Said:
        """Return the sums before the first member."""
        counts = np.zeros((GROUPS, n), dtype=np.intp)
        return cls(np.zeros((GROUPS, n, k)), counts, np.zeros(GROUPS, dtype=np.intp))

    def add(self, new: Sequence[Member]) -> Said:
        """Add the members that come next, and return the sums."""
        for member in new:
            g = int(self.members.sum()) % GROUPS
            self.sums[g, member.unseen] += member.said
            self.counts[g, member.unseen] += 1
            self.members[g] += 1
        return self

    def total(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the sums and numbers over all groups."""
        return np.sum(self.sums, axis=0), np.sum(self.counts, axis=0)


def size_of(name: str, value: Any, n: int, most: int | None) -> int:
    """Return a count, from a whole number in 1 .. most (None: what an index holds) or a share of n in
    (0, 1].
    """
    whole = isinstance(value, Integral) and not is_flag(value)
    top = MOST_DRAWS if most is None else most
    if whole and 1 <= int(value) <= top:
        return int(value)
    if not whole and isinstance(value, Real) and not is_flag(value) and 0.0 < float(value) <= 1.0:
        return max(1, math.ceil(float(value) * n - 1e-9))
    raise ValueError(f"{name} must be a share in (0, 1] or a whole number 1 .. {top}, got {value!r}")


def takes_weights(estimator: Any) -> bool:
    """Return whether ``fit`` has sample_weight of its own (a pipeline has not)."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def seeded(estimator: Any, seed: int | None) -> Any:
    """Return a clone whose random numbers, those of its parts included, come from this seed."""
    model = clone(estimator)
    seeds = [k for k in sorted(model.get_params()) if k == "random_state" or k.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(seeds, seed))


def fit_member(
    estimator: Any, X: Any, y: Any, weight: Array, plan: Plan, number: int, n_classes: int, soft: bool
) -> Member:
    """Draw, fit a clone, and ask it about the rows that it did not see.

    Rows that were drawn several times count as often by their sample_weight, or stand several times in X
    where the estimator takes none, or where a weight of 2 is not the row twice (among neighbours).  Without
    replacement the weights of the rows go to the estimator.
    """
    draw = plan.draw(number)
    model = seeded(estimator, draw.seed)
    repeats = getattr(model, "_weight_is_repetition", True)
    if takes_weights(model) and (repeats or not plan.bootstrap):
        rows = draw.rows
        more = {"sample_weight": draw.counts * (1.0 if plan.bootstrap else weight[rows])}
    else:
        rows, more = np.repeat(draw.rows, draw.counts), {}
    try:
        model.fit(_part(X, rows, draw.columns), y[rows], **more)
        seen = np.zeros(len(y), dtype=bool)
        seen[draw.rows] = True
        unseen = np.flatnonzero(~seen & (weight > 0.0))
        said: Array = np.zeros((0, max(1, n_classes)))
        if len(unseen):
            said = said_by(model, _part(X, unseen, None), draw.columns, n_classes, soft)
    except Exception as e:
        e.add_note(
            f"while fitting member {number} of the ensemble, a {type(model).__name__}; a row that is "
            "named is one of its draw, not of X"
        )
        raise
    return Member(release(model), draw, unseen, said)


def refusal_of_all_rows(member: Any, X: Any, y: Any, weight: Array, error: Exception) -> Exception | None:
    """What the estimator says of all rows, after a member refused its draw; None when it takes them.

    The message names rows and columns as the user has them, where that of the member counts in its draw.
    """
    rows = np.flatnonzero(weight > 0.0)
    whole = len(rows) == len(y)
    try:
        clone(member).fit(X if whole else _part(X, rows, None), y if whole else y[rows])
    except Exception as again:
        if type(again) is not type(error):
            return None
        counted = "" if whole else "; rows are counted among those with positive weight"
        again.add_note(f"while fitting the members of the ensemble, each a {type(member).__name__}{counted}")
        return again
    return None


def said_by(model: Any, X: Any, columns: IndexArray | None, n_classes: int, soft: bool) -> Array:
    """Return the probabilities (soft) or votes for each class, shape (m, K); numbers of a regressor, shape
    (m, 1).
    """
    if columns is not None:
        X = _safe_indexing(X, columns, axis=1)
    if n_classes == 0:
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)
    if not soft:
        return np.eye(n_classes)[np.asarray(model.predict(X)).astype(np.intp)]
    shares = np.asarray(model.predict_proba(X))
    if shares.shape[1] == n_classes:
        return shares
    out = np.zeros((len(shares), n_classes))
    out[:, np.asarray(model.classes_).astype(np.intp)] = shares
    return out


def _part(X: Any, rows: IndexArray, columns: IndexArray | None) -> Any:
    part = _safe_indexing(X, rows)
    return part if columns is None else _safe_indexing(part, columns, axis=1)
