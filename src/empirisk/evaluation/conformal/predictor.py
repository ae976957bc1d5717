"""A model whose predictions have intervals, or sets of classes, with a stated coverage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.conformal_order import rows_needed
from empirisk.data.tabular import Tabular
from empirisk.evaluation.conformal.claims import Claim
from empirisk.evaluation.conformal.conditions import categories, codes_in, quoted, ratios
from empirisk.evaluation.conformal.ends import Calibrated
from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.held_out import coverage_estimate, held_out_scores
from empirisk.evaluation.conformal.results import PredictionIntervals, PredictionSets
from empirisk.evaluation.conformal.scores import Band, ClassTable, ConformalScore
from empirisk.evaluation.conformal.shares import row_shares
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.folds import Rows
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, check_length, finite, labels_of
from empirisk.evaluation.outputs import n_rows
from empirisk.inference.conformal import Conformal
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

__all__ = ["ConformalPredictor"]

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)  # of the printed table


@dataclass(frozen=True, eq=False, repr=False)
class ConformalPredictor(Tabular):
    """A model with calibration scores; made by :func:`empirisk.conformalize`.

    Parameters
    ----------
    score : ConformalScore
        What is compared.
    whole : Fitted
        The model that predicts.
    parts : tuple of Fitted
        The models that intervals and sets are made of: the same one, or one for each fold.
    rows : Calibrated
        Scores of the calibration rows.
    codes : array of int, shape (n,)
        Category of each calibration row; 0 without `by`.
    claim : Claim
        How the sets were made.
    level : float
        Coverage where none is asked for.
    by, weights
        As given to :func:`empirisk.conformalize`.
    known : array or None
        The categories.
    infinite : bool
        Whether too few rows give endless intervals in place of an error.
    hash_key : int
        Of the shares of adaptive sets.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> model = er.conformalize(er.Ridge().fit(X[:200], y[:200]), X[200:], y[200:])
    >>> model.interval(X[:2], level=0.8).width.round(1)
    array([1.8, 1.8])
    """

    score: ConformalScore
    whole: Fitted
    parts: tuple[Fitted, ...]
    rows: Calibrated
    codes: Rows
    claim: Claim
    level: float = 0.9
    by: Any = None
    weights: Any = None
    known: Any = None
    infinite: bool = False
    hash_key: int = field(default=0, repr=False)

    @property
    def classes_(self) -> Any:
        """The labels of the classes, in the order of the columns of sets; None for numbers."""
        return self.whole.classes

    # -- answers ------------------------------------------------------------------------------------

    def predict(self, X: Any, **rows: Any) -> Any:
        """Return what the model predicts: the middle of the two quantiles where it gives them.

        Parameters
        ----------
        X : array, sparse matrix or data frame, shape (m, p)
            New rows.
        **rows
            What ``predict`` of the model takes of the rows beside X, such as `exposure`.
        """
        if self.score.task == CLASSIFICATION:
            return self.whole.model.predict(X, **rows)
        read = self.score.read(self.whole, X, None, **rows)
        assert isinstance(read, Band)
        return read.value

    def interval(
        self, X: Any, level: float | None = None, *, by: Any = None, weights: Any = None, **rows: Any
    ) -> PredictionIntervals:
        """Return an interval for the target of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame, shape (m, p)
            New rows.
        level : float, optional
            Coverage, strictly between 0 and 1; that of :func:`empirisk.conformalize` by default.
        by : array, shape (m,), optional
            Categories of these rows, where the calibration got an array.
        weights : array, shape (m,), optional
            Weights of these rows, where the calibration got an array.
        **rows
            What ``predict`` of the model takes of the rows beside X, such as `exposure`.

        Raises
        ------
        TypeError
            The model is a classifier.
        ValueError
            Too few calibration rows for the level, or a category without any.
        """
        if self.score.task == CLASSIFICATION:
            raise TypeError("a classifier has sets of classes, no intervals: call sets(X).")
        level = self.level if level is None else check_level(level)
        codes, own = self._conditions(X, by, weights)
        bands = [self._band(part, X, **rows) for part in self.parts]
        value = bands[0].value if self.whole is self.parts[0] else self._band(self.whole, X, **rows).value
        low, high = np.empty(len(value)), np.empty(len(value))
        for at, calibrated, mine in self._each(codes, own, level):
            low[at], high[at] = calibrated.interval([band.rows(at) for band in bands], level, mine)
        return PredictionIntervals(level, value, low, high, self.guarantee(level), X)

    def sets(
        self,
        X: Any,
        level: float | None = None,
        *,
        fill_empty: bool = False,
        by: Any = None,
        weights: Any = None,
        **rows: Any,
    ) -> PredictionSets:
        """Return the classes that each row may have.

        Parameters
        ----------
        X : array, sparse matrix or data frame, shape (m, p)
            New rows.
        level : float, optional
            Coverage, strictly between 0 and 1; that of :func:`empirisk.conformalize` by default.
        fill_empty : bool, default False
            Whether an empty set gets the predicted class, which only adds to the coverage.
        by, weights, **rows
            As in :meth:`interval`.

        Raises
        ------
        TypeError
            The model is a regressor.
        ValueError
            As in :meth:`interval`.
        """
        if self.score.task != CLASSIFICATION:
            raise TypeError("a regressor has intervals, no sets of classes: call interval(X).")
        level = self.level if level is None else check_level(level)
        codes, own = self._conditions(X, by, weights)
        share = row_shares(X, self.hash_key)
        tables = [self._table(part, X, share, **rows) for part in self.parts]
        member = np.zeros(tables[0].table.shape, dtype=np.bool_)
        for at, calibrated, mine in self._each(codes, own, level):
            member[at] = calibrated.members([table.rows(at) for table in tables], level, mine)
        value = np.asarray(self.predict(X, **rows))
        if fill_empty:
            empty = ~member.any(axis=1)
            member[empty] = np.asarray(self.classes_)[None, :] == value[empty, None]
        return PredictionSets(level, np.asarray(self.classes_), member, value, self.guarantee(level), X)

    # -- how sure -----------------------------------------------------------------------------------

    def guarantee(self, level: float | None = None) -> str:
        """Return what is promised, in a sentence: the bound, for which rows, and what it rests on."""
        return self.claim.sentence(self.level if level is None else check_level(level))

    def expected_coverage(self, level: float | None = None, *, confidence: float = 0.95) -> Estimate:
        """Return the coverage of new rows by *these* calibration rows, before any test row is seen.

        It follows the beta law with parameters k and n + 1 - k, ``k = ceil((n + 1) level)``, whose central
        interval this is; with ties it is larger.

        Parameters
        ----------
        level : float, optional
            Coverage asked for.
        confidence : float, default 0.95
            Of the interval.

        Raises
        ------
        ValueError
            With folds, groups, categories or weights, where no exact law is known.

        References
        ----------
        Vovk 2012, Conditional validity of inductive conformal predictors, ACML, proposition 2.
        """
        level = self.level if level is None else check_level(level)
        if not self.claim.plain:
            raise ValueError(
                "the law of the coverage is known for one fitted model and rows that stand alone; use "
                "coverage(X, y) on test rows."
            )
        return Conformal(self.rows.scores, self.score.meaning).coverage(level, check_level(confidence))

    def coverage(
        self,
        X: Any,
        y: Any,
        level: float | None = None,
        *,
        confidence: float = 0.95,
        groups: Any = None,
        **rows: Any,
    ) -> Estimate:
        """Return the share of test rows that are covered, with Wilson's interval.

        Parameters
        ----------
        X, y : arrays, shapes (m, p) and (m,)
            Rows that neither the fit nor the calibration has seen.
        level : float, optional
            Coverage asked for.
        confidence : float, default 0.95
            Of the interval.
        groups : array, shape (m,), optional
            Which test rows belong together.
        **rows
            As in :meth:`interval`, with `by` and `weights`.
        """
        answer = self._answer(X, level, **rows)
        return coverage_estimate(answer, self._targets(y, X), check_level(confidence), groups)

    def evaluate(
        self,
        X: Any,
        y: Any,
        level: float | None = None,
        *,
        confidence: float = 0.95,
        groups: Any = None,
        **rows: Any,
    ) -> Evaluation:
        """Return coverage, width and interval score, or size and share of empty sets, on test rows.

        Parameters
        ----------
        X, y, level, confidence, groups, **rows
            As in :meth:`coverage`.
        """
        answer = self._answer(X, level, **rows)
        found = held_out_scores(answer, self._targets(y, X), check_level(confidence), groups)
        return Evaluation(found, f"{answer.title} by {self.whole.name}, {self.claim.made}")

    def _evaluate(
        self,
        X: Any,
        y: Any,
        level: float,
        groups: Any,
        metrics: Any,
        sample_weight: Any = None,
        exposure: Any = None,
        offset: Any = None,
    ) -> Evaluation:
        """Return what :func:`empirisk.evaluate` asks of a model that scores itself."""
        if sample_weight is not None:
            raise ValueError("coverage counts every row once here: leave sample_weight out.")
        beside = {"exposure": exposure, "offset": offset}
        rows = {name: values for name, values in beside.items() if values is not None}
        found = self.evaluate(X, y, confidence=level, groups=groups, **rows)
        if metrics is None:
            return found
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        unknown = [name for name in wanted if name not in found]
        if unknown:
            raise ValueError(
                f"metric {unknown[0]!r} is none of intervals and sets, which are {', '.join(found)}; for "
                "others evaluate the model itself."
            )
        return Evaluation({name: found[name] for name in wanted}, found.title)

    # -- for readers --------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The first line: the model, the score and how it was calibrated."""
        return f"{self.whole.name}, {self.claim.made}, score: {self.score.meaning}"

    def _columns(self) -> dict[str, list[Any]]:
        names = [""] if self.known is None else [str(label) for label in self.known]
        rows = [
            (name, int(n), level)
            for name, n in zip(names, np.bincount(self.codes, minlength=len(names)), strict=True)
            for level in LEVELS
        ]
        least = [self.claim.least(level) for _, _, level in rows]
        table: dict[str, list[Any]] = {"category": [r[0] for r in rows]} if self.known is not None else {}
        table |= {"level": [r[2] for r in rows], "rows": [r[1] for r in rows], "proved": least}
        if self.claim.plain:
            told = [self._told(level) for level in LEVELS]
            table["expected"] = [None if e is None else e.value for e in told]
            table["low"] = [None if e is None else e.low for e in told]
            table["high"] = [None if e is None else e.high for e in told]
        return table

    def _shown(self) -> dict[str, list[Any]]:
        columns = self._columns()
        if self.claim.plain:
            kept = {name: columns[name] for name in ("level", "rows", "proved")}
            return {**kept, "coverage": [e or "too few rows" for e in map(self._told, LEVELS)]}
        return columns

    def _notes(self) -> list[str]:
        return [self.guarantee()]

    def _told(self, level: float) -> Estimate | None:
        """Return the coverage by the beta law; None where the rows are too few for the level."""
        return self.expected_coverage(level) if self.rows.enough(level) else None

    # -- inside -------------------------------------------------------------------------------------

    def _answer(self, X: Any, level: float | None, **rows: Any) -> PredictionIntervals | PredictionSets:
        return (self.sets if self.score.task == CLASSIFICATION else self.interval)(X, level, **rows)

    def _targets(self, y: Any, X: Any) -> Any:
        labels = labels_of(y, "y")
        check_length("X", n_rows(X), labels.size)
        return labels if self.score.task == CLASSIFICATION else finite(labels, "y")

    def _band(self, part: Fitted, X: Any, **rows: Any) -> Band:
        read = self.score.read(part, X, None, **rows)
        assert isinstance(read, Band)
        return read

    def _table(self, part: Fitted, X: Any, share: Any, **rows: Any) -> ClassTable:
        read = self.score.read(part, X, share, **rows)
        assert isinstance(read, ClassTable)
        return read

    def _conditions(self, X: Any, by: Any, weights: Any) -> tuple[Rows, Any]:
        """Return the category and the weight of each new row."""
        for name, given, had in (("by", by, self.by), ("weights", weights, self.weights)):
            if given is not None and had is None:
                raise ValueError(f"{name} was not given to conformalize, and has no meaning for new rows.")
        m = n_rows(X)
        codes = np.zeros(m, dtype=np.intp)
        if self.by is not None:
            codes = codes_in(categories(self.by, X, by), self.known)
        return codes, 1.0 if self.weights is None else ratios(self.weights, X, weights)

    def _each(self, codes: Rows, own: Any, level: float) -> Any:
        """Yield the new rows of each category, its calibration rows, and the weights of the new ones."""
        for code in np.unique(codes):
            at = np.flatnonzero(codes == code)
            calibrated = self.rows if self.known is None else self.rows.part(self.codes == code)
            mine = own if np.ndim(own) == 0 else own[at]
            if not self.infinite:
                self.refuse_few(calibrated, level, mine, int(code), at)
            yield at, calibrated, mine

    def refuse_few(self, rows: Calibrated, level: float, own: Any, code: int = 0, at: Any = None) -> None:
        """Refuse a level that the calibration rows (of one category) cannot reach."""
        enough: NDArray[np.bool_] | np.bool_ = rows.enough(level, own)
        if np.all(enough):
            return
        where = "" if self.known is None else f" of category {quoted(self.known[code])}"
        advice = "calibrate with more rows, lower level, or ask for endless intervals by infinite=True"
        if self.weights is not None:
            row = int(np.argmin(enough)) if at is None else int(at[np.argmin(np.atleast_1d(enough))])
            raise ValueError(
                f"new row {row} weighs so much against the {len(rows.scores)} calibration rows{where} that "
                f"its interval at level = {level:g} has no end: {advice}."
            )
        what, have = (
            ("groups", round(float(rows.weight.sum())))
            if rows.weight is not None
            else ("rows", len(rows.scores))
        )
        verb = "is" if have == 1 else "are"
        raise ValueError(
            f"level = {level:g} needs at least {rows_needed(level)} calibration {what}{where}, there {verb} "
            f"{have}: {advice}."
        )
