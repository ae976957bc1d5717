"""What an evaluation returns: estimates by metric name, readable as text, HTML and data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from empirisk.data.frames import as_frame, like_input
from empirisk.evaluation.metrics.of_class import one_versus_rest
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.evaluation.pictures.kinds import INTERVALS, picture
from empirisk.evaluation.threshold import Threshold, threshold
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed

COLUMNS = ("metric", "value", "low", "high", "level", "n", "method")


class Evaluation(Formed, Mapping[str, Estimate]):
    """Estimates by metric name.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        One estimate for each metric.
    title : str
        First line of the printed form.
    predictions : Predictions, optional
        Targets, outputs, groups and weights of the rows, from which :meth:`plot` draws. They are kept in
        memory alone, some ``8 n (C + 4)`` bytes for n rows and C classes (``16 n`` for a number); pickles,
        copies and :meth:`to_dict` have none, and X is not kept.

    Examples
    --------
    >>> from empirisk.evaluation.intervals import wilson
    >>> ev = Evaluation({"accuracy": wilson(85, 100)})
    >>> ev["accuracy"].value, ev["accuracy"].n
    (0.85, 100)
    >>> print(ev)
    Evaluation
      accuracy  0.85 [0.77, 0.91]  95 %, n = 100, Wilson
      About: this fitted model, on new rows drawn like these.
    """

    def __init__(
        self,
        estimates: Mapping[str, Estimate],
        title: str = "Evaluation",
        predictions: Predictions | None = None,
    ) -> None:
        self._estimates = dict(estimates)
        self.title = title
        self._predictions = None if predictions is None else replace(predictions, log_proba=None)

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles and copies hold: all but the predictions of rows."""
        return {**self.__dict__, "_predictions": None}

    def __getitem__(self, name: str) -> Estimate:
        try:
            return self._estimates[name]
        except KeyError:
            known = ", ".join(self._estimates)
            raise KeyError(f"{name!r} was not computed; this evaluation holds {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the stable JSON form: one :meth:`empirisk.results.Estimate.to_dict` for each metric."""
        return {name: e.to_dict() for name, e in self.items()}

    def to_frame(self) -> Any:
        """Return the columns metric, value, low, high, level, n, method, reason, target.

        A pandas data frame; a polars one where pandas is not installed; a dict of lists without either.
        """
        return to_frame(self._estimates, self._like)

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = INTERVALS,
        metrics: Sequence[str] | None = None,
        positive: Any = None,
        cost: Mapping[str, float] | None = None,
    ) -> Any:
        """Draw the metrics with their intervals, one a row, or another picture of the held-out rows.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        kind : str, default "intervals"
            The metrics; of classes also ``"roc"`` (a band that holds for all thresholds at once),
            ``"precision_recall"`` (a pointwise band), ``"calibration"`` (bins whose intervals hold together),
            ``"confusion"``, ``"scores"`` and ``"thresholds"`` (see :meth:`threshold`); of numbers
            ``"residuals"`` and ``"observed"`` (bins by predicted value, an interval for each mean) and
            ``"quantiles"`` (against a normal distribution, pointwise).
        metrics : sequence of str, optional
            Which ones ``"intervals"`` draws; all by default. They share one axis: name those of one unit
            where they differ much.
        positive : label, optional
            The class that is held against the rest. By default the last of two; of several classes the curves
            are drawn for all, without bands.
        cost : mapping, optional
            For ``"thresholds"``: what the two errors cost; by default the same.

        Returns
        -------
        empirisk.plots.Plot

        Raises
        ------
        KeyError
            A metric that was not computed.
        ValueError
            A kind that is not there, not of this task, or that these rows cannot show.
        """
        level = self._level
        if kind == "thresholds":
            equal = {"false_positive": 1.0, "false_negative": 1.0}
            return self.threshold(equal if cost is None else cost, positive=positive).plot(ax)
        if cost is not None:
            raise ValueError(f"cost is for kind 'thresholds', and kind is {kind!r}; leave cost out.")
        if kind != INTERVALS:
            return picture(kind, self._rows(), level, positive).plot(ax)
        from empirisk.plots import EffectsDisplay

        shown = {name: self[name] for name in (self if metrics is None else metrics)}
        rows = [{"label": name, "value": e.to_dict()} for name, e in shown.items()]
        return EffectsDisplay(rows, f"metrics of {self.title}", level, None).plot(ax)

    @like_input
    def threshold(
        self, cost: Mapping[str, float], *, positive: Any = None, random_state: Any = None
    ) -> Threshold:
        """Return the cut of least cost, with an interval, what it costs on new rows, and a table of cuts.

        The cost of a cut t is ``a P(s >= t, negative) + b P(s < t, positive)``.

        Parameters
        ----------
        cost : mapping
            ``{"false_positive": a, "false_negative": b}``, both positive. What right answers cost is taken
            off: a hit that costs 5 and a miss that costs 50 differ by 45.
        positive : label, optional
            The class that is called at and above the cut: by default the last of two.
        random_state : int, Generator, RandomState or None
            Seed of the folds and of the simulated quantiles; None means 0.

        Returns
        -------
        Threshold
            ``.cut`` and ``.cost`` (estimates), ``.to_frame()`` (cuts with cost, precision and recall) and
            ``.plot()``.

        Raises
        ------
        ValueError
            A target that is no class or has more than two, fewer than ten rows (or groups) of a class, a cost
            that is not positive.

        Notes
        -----
        The interval of the cut holds those that no other cut beats by more than chance (tests by simulation,
        over rows or groups). It is wide, as cuts converge at the rate ``n^(-1/3)``, and held the best cut of
        the population in 99 to 100 % of simulated evaluations of 200 to 1,000 rows. The cost of the chosen
        cut is measured on folds that did not choose it (10 folds, 5 times), because on its own rows it looks
        too cheap; its interval covered in 90 to 94 % there (least with weights and a rare class).
        `tests/evaluation/test_thresholds.py` repeats some of these simulations.
        Cost O(n log n) and a simulation that does not depend on n.

        Examples
        --------
        >>> import numpy as np
        >>> from empirisk.evaluation.evaluate import evaluate_predictions
        >>> rng = np.random.default_rng(0)
        >>> p = rng.uniform(size=1000)
        >>> y = rng.uniform(size=1000) < p
        >>> found = evaluate_predictions(y, proba=p).threshold({"false_positive": 1, "false_negative": 4})
        >>> found.cut.low < 0.2 < found.cut.high  # the best cut is a / (a + b) where p is calibrated
        True
        """
        p = self._rows()
        return threshold(
            p if positive is None else one_versus_rest(p, positive), cost, self._level, random_state
        )

    @property
    def _level(self) -> float:
        """The level of the intervals, which is the same for all metrics."""
        return next((e.level for e in self.values()), 0.95)

    def _rows(self) -> Predictions:
        """Return the predictions of the held-out rows, or say why there are none."""
        if self._predictions is None:
            raise ValueError(
                "this evaluation holds its metrics alone, and the picture needs predictions of rows: pickles "
                "and copies, folds, and intervals and sets have none. Call er.evaluate on held-out rows "
                "again, and draw from what it returns."
            )
        return self._predictions

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        reasons = Counter(e.reason for e in self.values() if e.reason)
        shared = {reason for reason, count in reasons.items() if count > 1}
        lines = [self.title]
        for name, e in self.items():
            lines.append(f"  {name:<{width}}  {describe(e, with_reason=e.reason not in shared)}")
        lines += [
            f"  Note ({', '.join(self._with(reason))}): {reason}." for reason in reasons if reason in shared
        ]
        for target in dict.fromkeys(e.target for e in self.values() if e.low is not None):
            lines.append(f"  About: {target}.")
        return "\n".join(lines)

    def _with(self, reason: str) -> list[str]:
        """Return the metrics that carry this reason."""
        return [name for name, e in self.items() if e.reason == reason]

    def _form(self) -> Form:
        columns: dict[str, list[Any]] = {
            "metric": list(self),
            "value": list(self.values()),
            "level": [f"{100 * e.level:g} %" for e in self.values()],
            "n": [e.n for e in self.values()],
            "method": [e.method for e in self.values()],
        }
        reasons = dict.fromkeys(e.reason for e in self.values() if e.reason)
        about = dict.fromkeys(e.target for e in self.values() if e.low is not None)
        notes = [f"Note ({', '.join(self._with(reason))}): {reason}." for reason in reasons]
        return Form(self.title, columns, [*notes, *(f"About: {target}." for target in about)])


def number(e: Estimate) -> str:
    """Return the value and interval, or the value and the words "cannot tell"."""
    return str(e) if e.low is not None else f"{e.value:.4g} [cannot tell]"


def describe(e: Estimate, *, with_reason: bool = True) -> str:
    """Return one line: value, interval, level, n, method, and the reason when there is one."""
    line = f"{number(e)}  {100 * e.level:g} %, n = {e.n}, {e.method}"
    return f"{line} ({e.reason})" if e.reason and with_reason else line


def to_frame(estimates: Mapping[str, Estimate], like: str = "") -> Any:
    """Return the estimates as the data frame that :meth:`Evaluation.to_frame` describes."""
    table: dict[str, list[Any]] = {"metric": list(estimates)}
    for column in (*COLUMNS[1:], "reason", "target"):
        table[column] = [getattr(e, column) for e in estimates.values()]
    return as_frame(table, like)
