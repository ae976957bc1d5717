"""Conjunctions of boolean literals: a point is labelled 1 when some coordinates are 1 and some others
are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.growth import Growth, sauer
from empirisk.hypotheses.points import Labelled
from empirisk.typing import Array

__all__ = ["Conjunction", "Conjunctions"]


@dataclass(frozen=True)
class Conjunction:
    """All these coordinates are 1, and all those are 0."""

    ones: tuple[int, ...]
    zeros: tuple[int, ...] = ()

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        X = np.asarray(points)
        return np.asarray(
            (X[:, list(self.ones)] == 1).all(axis=1) & (X[:, list(self.zeros)] == 0).all(axis=1)
        )

    def __str__(self) -> str:
        if set(self.ones) & set(self.zeros):
            return "no x"
        literals = [f"x{j}" for j in self.ones] + [f"not x{j}" for j in self.zeros]
        return " and ".join(literals) or "every x"


class Conjunctions(Spatial):
    """``h(x) = x_i and ... and not x_j and ...`` over ``{0, 1}^d``; monotone: without negations.

    Parameters
    ----------
    n_features : int, optional
        Number of variables d; by default that of the points.
    monotone : bool, default False
        Whether negated variables are left out.
    time_limit : float, default 60.0
        Seconds for the integer programme of ``fit``.

    Notes
    -----
    VC dimension d (with negations and d = 1: 2).  There are ``3^d + 1`` conjunctions (a contradiction is
    never true), ``2^d`` monotone ones: the growth function is exact for n up to the VC dimension and from
    ``2^d`` on, and bounded by these numbers and Sauer's lemma between.  ``fit``: an integer programme over
    the literals, which proves optimality or, at the time limit, says how far the conjunction can be from it.

    References
    ----------
    Natschläger and Schmitt 1996, Information Processing Letters 59 (the exact VC dimension).  Valiant 1984,
    Communications of the ACM 27.

    Examples
    --------
    >>> Conjunctions(3).vc_dimension(), Conjunctions(3).growth(8)
    (3, 28 (exact: all points of the domain))
    >>> X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]])
    >>> print(Conjunctions(monotone=True).fit(X, [1, 0, 0, 1]).hypothesis_)
    x0 and x1
    """

    name = "conjunctions"
    words = "conjunctions"

    def __init__(
        self, n_features: int | None = None, monotone: bool = False, time_limit: float = 60.0
    ) -> None:
        self.n_features = n_features
        self.monotone = monotone
        self.time_limit = time_limit

    @property
    def log_members(self) -> float:
        """Logarithm of the number of conjunctions: the growth on as many points as the domain has."""
        return self.log_growth(2**self.n_features_in_)

    def vc_dimension(self) -> int:
        """Return d, the number of variables; with negations a single variable gives 2."""
        d = self._d()
        return 2 if d == 1 and not self.monotone else d

    def _growth(self, n: int) -> Growth:
        d = self._d()
        members = 2**d if self.monotone else 3**d + 1
        if n >= 2**d:
            return Growth(members, True, "all points of the domain")
        bound = sauer(n, self.vc_dimension())
        if bound.exact or bound <= members:
            return bound
        return Growth(members, False, "the number of conjunctions")

    def _points(self, points: Any) -> Array:
        X = super()._points(points)
        bad = np.argwhere((X != 0.0) & (X != 1.0))
        if len(bad):
            row, column = (int(i) for i in bad[0])
            raise ValueError(
                f"the points of conjunctions have coordinates 0 and 1, got {X[row, column]:g} in row {row}, "
                f"column {column}"
            )
        return X

    def _literals(self, points: Array) -> NDArray[np.bool_]:
        """Return for each point which literals are true there: the variables, then their negations."""
        true = points == 1.0
        return true if self.monotone else np.hstack([true, ~true])

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        # Each literal cuts every labelling found so far down to the points where it is true.
        made = np.ones((1, len(points)), dtype=bool)
        for literal in self._literals(points).T:
            made = np.unique(np.vstack([made, made & literal]), axis=0)
        return made

    def _best(self, data: Labelled) -> Best:
        false = ~self._literals(data.points)
        n, k = false.shape
        wanted = data.gain > 0.0
        # The longest conjunction that is true wherever it should be: if any makes no error, it makes none.
        longest = np.flatnonzero(~false[wanted].any(axis=0))
        if not (~false[:, longest].any(axis=1) & (data.gain < 0.0)).any():
            return Best(self._made(longest, data), None, "every literal that is true wherever it should be")
        # Variables: the literals taken, then the labels.  A label is 1 unless a literal taken is false there.
        some = np.argwhere(false)
        pairs = np.column_stack([some[:, 1], k + some[:, 0]]).ravel()
        ends = np.arange(0, 2 * len(some) + 1, 2)
        excluded = csr_array((np.ones(2 * len(some)), pairs, ends), shape=(len(some), k + n))
        kept = hstack([csr_array(false.astype(float)), eye_array(n)], format="csr")
        found = milp(
            np.concatenate([np.zeros(k), -data.gain]),
            integrality=np.ones(k + n, dtype=np.int64),
            bounds=Bounds(0.0, 1.0),
            constraints=[LinearConstraint(excluded, -np.inf, 1.0), LinearConstraint(kept, 1.0, np.inf)],
            options={"time_limit": max(0.01, float(self.time_limit)), "mip_rel_gap": 0.0},
        )
        taken = np.flatnonzero(found.x[:k] > 0.5) if found.x is not None else np.arange(0)
        best = self._made(taken, data)
        if found.status == 0:
            return Best(best, None, f"an integer programme over {k} literals")
        bound = found.mip_dual_bound
        ideal = float(data.gain[data.gain > 0.0].sum())
        most = ideal if bound is None or not np.isfinite(bound) else min(ideal, -float(bound))
        return Best(best, most, f"an integer programme over {k} literals; stopped at the time limit")

    @staticmethod
    def _made(literals: NDArray[np.intp], data: Labelled) -> Conjunction:
        d = data.points.shape[1]
        ones, zeros = literals[literals < d], literals[literals >= d] - d
        return Conjunction(tuple(ones.tolist()), tuple(zeros.tolist()))
