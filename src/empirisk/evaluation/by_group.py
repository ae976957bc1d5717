"""Scores of one fitted model in groups of rows, and how the groups differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.intervals.base import refuse
from empirisk.results import Estimate

__all__ = ["GroupDifferences", "GroupEvaluation", "difference_of_independent", "groups_of_rows"]

METHOD = "MOVER of independent groups"
Scores = Callable[[NDArray[np.int64], float], Evaluation]


@dataclass(frozen=True, eq=False, repr=False)
class GroupDifferences(Tabular):
    """Differences of the metrics of groups to those of one group.

    Parameters
    ----------
    reference : object
        The group that the others are compared with.
    differences : dict of (metric, group) to Estimate
        Each group's value less that of the reference.
    level : float
        Coverage of all intervals of one metric together.
    """

    reference: Any
    differences: Mapping[tuple[str, Any], Estimate]
    level: float

    @property
    def title(self) -> str:
        many = len({group for _, group in self.differences})
        together = f" together, of {many} groups" if many > 1 else ""
        return f"Differences to {self.reference}, {100.0 * self.level:g} % for a metric{together}"

    def _shown(self) -> dict[str, list[Any]]:
        metrics, groups = zip(*self.differences, strict=True)
        return {"metric": list(metrics), "group": list(groups), "difference": list(self.differences.values())}

    def _columns(self) -> dict[str, list[Any]]:
        shown = self._shown()
        return {**shown, **estimate_columns(shown["difference"], "difference")}

    def _notes(self) -> list[str]:
        reasons = dict.fromkeys(e.reason for e in self.differences.values() if e.low is None)
        return [*(f"Note: {reason}." for reason in reasons), "The groups are taken as samples of their own."]

    def plot(self, ax: Any = None, *, metrics: Sequence[str] | None = None) -> Any:
        """Draw the differences with their intervals, one a row.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        metrics : sequence of str, optional
            Which ones; all by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        from empirisk.plots import EffectsDisplay

        shown = {k: e for k, e in self.differences.items() if metrics is None or k[0] in metrics}
        rows = [{"label": f"{m}, {g}", "value": e.to_dict()} for (m, g), e in shown.items()]
        level = next((e.level for e in shown.values()), self.level)
        return EffectsDisplay(rows, f"difference to {self.reference}", level).plot(ax)


@dataclass(frozen=True, eq=False, repr=False)
class GroupEvaluation(Tabular, Mapping[Any, Evaluation]):
    """The evaluation of each group of rows, by the name of the group.

    Parameters
    ----------
    name : str
        What the groups are: the name of the column.
    rows : dict of group to array
        Numbers of the rows of each group.
    clusters : array of shape (n,) or None
        Which rows are not independent.
    level : float
        Of the intervals of single groups.
    scores : callable
        From numbers of rows and a level to their :class:`Evaluation`.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X, sex = rng.normal(size=(600, 2)), np.repeat(["f", "m", "m"], 200)
    >>> y = np.where(X[:, 0] + (sex == "m") + rng.normal(size=600) > 0, "paid", "late")
    >>> model = er.LogisticRegression().fit(X[::2], y[::2])
    >>> found = er.evaluate(model, X[1::2], y[1::2], metrics=["selection_rate", "recall"], by=sex[1::2])
    >>> print(found)
    LogisticRegression in 2 groups, 95 % intervals of each by itself
      group  rows  selection_rate     recall
      f      100   0.69 [0.59, 0.77]  0.87 [0.74, 0.94]
      m      200   0.75 [0.69, 0.80]  0.88 [0.82, 0.93]
    >>> print(found.differences("m"))
    Differences to m, 95 % for a metric
      metric          group  difference
      selection_rate  f      -0.06 [-0.17, 0.04]
      recall          f      -0.02 [-0.15, 0.08]
      The groups are taken as samples of their own.
    """

    name: str
    rows: Mapping[Any, NDArray[np.int64]]
    clusters: NDArray[Any] | None
    level: float
    scores: Scores = field(repr=False)
    who: str = "The model"

    def __post_init__(self) -> None:
        found = {group: self.scores(rows, self.level) for group, rows in self.rows.items()}
        object.__setattr__(self, "_found", found)

    def __getitem__(self, group: Any) -> Evaluation:
        try:
            return self._found[group]  # type: ignore[attr-defined,no-any-return]
        except KeyError:
            known = ", ".join(map(str, self.rows))
            raise KeyError(f"{group!r} is no group of {self.name}; there are {known}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def title(self) -> str:
        level = f"{100.0 * self.level:g} % intervals of each by itself"
        return f"{self.who} in {len(self)} groups{self._of}, {level}"

    @property
    def _of(self) -> str:
        return "" if self.name == "by" else f" of {self.name}"

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in order."""
        return list(dict.fromkeys(name for scores in self.values() for name in scores))

    def _shown(self) -> dict[str, list[Any]]:
        heads = {"group": list(self), "rows": [len(r) for r in self.rows.values()]}
        return {**heads, **{m: [scores.get(m) for scores in self.values()] for m in self.metrics}}

    def _columns(self) -> dict[str, list[Any]]:
        lines = [(group, name, e) for group, scores in self.items() for name, e in scores.items()]
        found = [e for _, _, e in lines]
        return {
            "group": [group for group, _, _ in lines],
            "metric": [name for _, name, _ in lines],
            **estimate_columns(found),
            "n": [e.n for e in found],
            "method": [e.method for e in found],
            "reason": [e.reason for e in found],
        }

    def _notes(self) -> list[str]:
        found = [(f"{name}, {group}", e) for group, scores in self.items() for name, e in scores.items()]
        return [f"Note ({who}): {e.reason}." for who, e in found if e.low is None and e.reason]

    def differences(self, reference: Any = None) -> GroupDifferences:
        """Return each group's metrics less those of one group, with simultaneous intervals.

        ``low = d - sqrt((v - l)^2 + (u0 - v0)^2)`` and ``high = d + sqrt((u - v)^2 + (v0 - l0)^2)`` from
        the intervals [l, u] and [l0, u0] of the two groups: for proportions with Wilson's intervals this is
        Newcombe's method. Of more than two groups each difference has the level ``1 - (1 - level)/(K - 1)``.

        Parameters
        ----------
        reference : group, optional
            The one to compare with; the one with the most rows by default.

        Returns
        -------
        GroupDifferences

        Raises
        ------
        KeyError
            A group that is none.

        References
        ----------
        .. [1] R. G. Newcombe, "Interval estimation for the difference between independent proportions",
           Statistics in Medicine 17, 1998.
        .. [2] G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
           approach", Statistics in Medicine 27, 2008.
        """
        if reference is None:
            reference = max(self.rows, key=lambda group: len(self.rows[group]))
        base = self[reference]
        others = [group for group in self if group != reference]
        single = 1.0 - (1.0 - self.level) / max(1, len(others))
        if single != self.level:
            base = self.scores(self.rows[reference], single)
        found: dict[tuple[str, Any], Estimate] = {}
        for group in others:
            scores = self[group] if single == self.level else self.scores(self.rows[group], single)
            for name in (n for n in base if n in scores):
                shared = self._shares(group, reference)
                found[name, group] = difference_of_independent(scores[name], base[name], shared)
        order = {name: k for k, name in enumerate(base)}
        found = dict(sorted(found.items(), key=lambda item: order[item[0][0]]))
        return GroupDifferences(reference, found, self.level)

    def _shares(self, a: Any, b: Any) -> str:
        """Return why two groups are not independent, or nothing."""
        if self.clusters is None:
            return ""
        both = np.intersect1d(self.clusters[self.rows[a]], self.clusters[self.rows[b]]).size
        return (
            f"{both} of the `groups` have rows in {a} and in {b}: the two are not independent" if both else ""
        )

    def plot(self, ax: Any = None, *, metric: str | None = None) -> Any:
        """Draw one metric with its interval in each group.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        metric : str, optional
            Which one; the first by default.

        Returns
        -------
        empirisk.plots.Plot

        Raises
        ------
        KeyError
            A metric that was not computed.
        """
        from empirisk.plots import EffectsDisplay

        name = self.metrics[0] if metric is None else metric
        rows = [{"label": str(group), "value": scores[name].to_dict()} for group, scores in self.items()]
        return EffectsDisplay(rows, f"{name} of groups{self._of}", self.level, None).plot(ax)


def difference_of_independent(a: Estimate, b: Estimate, dependent: str = "") -> Estimate:
    """Return a - b of two estimates of independent rows, with the interval that theirs give (MOVER).

    Parameters
    ----------
    a, b : Estimate
        Of the same level.
    dependent : str
        Why the two are not independent: then there is no interval.

    Examples
    --------
    >>> from empirisk.evaluation.intervals import wilson
    >>> print(difference_of_independent(wilson(56, 70), wilson(48, 80)))  # Newcombe (1998), table II, 10
    0.20 [0.05, 0.33]
    """
    value, n = a.value - b.value, min(a.n, b.n)
    missing = next((e.reason for e in (a, b) if e.low is None or e.high is None), dependent)
    if a.low is None or a.high is None or b.low is None or b.high is None or dependent:
        return refuse(value, a.level, n, METHOD, missing)
    low = value - math.hypot(a.value - a.low, b.high - b.value)
    high = value + math.hypot(a.high - a.value, b.value - b.low)
    target = "the difference of two groups, this fitted model, on new rows drawn like these"
    return Estimate(value, low, high, a.level, n, METHOD, target=target)


def groups_of_rows(by: Any, X: Any, n: int) -> tuple[str, dict[Any, NDArray[np.int64]]]:
    """Return the name of a grouping and the rows of each group, in sorted order.

    Parameters
    ----------
    by : str or array of shape (n,)
        The name of a column of the frame X, or the group of each row.
    X : frame or array
        The rows.
    n : int
        How many there are.

    Raises
    ------
    ValueError
        No such column, another length, an empty cell, one group only, or more than 100 of them.
    """
    name = by if isinstance(by, str) else str(getattr(by, "name", None) or "by")
    if isinstance(by, str):
        if by not in getattr(X, "columns", ()):
            raise ValueError(
                f"by={by!r} is no column of X: give its name in a frame, or the group of each row."
            )
        by = X[by]
    values = np.asarray(by, dtype=object)
    if values.shape != (n,):
        raise ValueError(f"by has shape {values.shape}; give one group for each of the {n} rows.")
    empty = [i for i, v in enumerate(values) if v is None or v != v]
    if empty:
        raise ValueError(f"by is empty in row {empty[0]} and {len(empty) - 1} more: name a group for them.")
    found: dict[Any, list[int]] = {}
    for i, value in enumerate(values):
        found.setdefault(value, []).append(i)
    if not 2 <= len(found) <= 100:
        raise ValueError(
            f"by has {len(found)} different values; give 2 to 100 groups (cut numbers into classes)."
        )
    keys = sorted(found, key=lambda key: (str(type(key)), key))
    return name, {key: np.asarray(found[key]) for key in keys}
