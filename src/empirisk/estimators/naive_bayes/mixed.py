"""Naive Bayes over columns of several kinds: each has a law of its own, and likelihoods are multiplied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals as nw
import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.columns import ColumnCoder
from empirisk.data.design import Design
from empirisk.data.row_blocks import Block
from empirisk.estimators.checks import check_choice, check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.naive_bayes.base import MOST_ALPHA
from empirisk.estimators.naive_bayes.bernoulli import BernoulliNB
from empirisk.estimators.naive_bayes.categorical import CategoricalNB
from empirisk.estimators.naive_bayes.coded_columns import CodedColumns
from empirisk.estimators.naive_bayes.gaussian import GaussianNB
from empirisk.estimators.naive_bayes.multinomial import MultinomialNB
from empirisk.estimators.naive_bayes.poisson import _PoissonColumns
from empirisk.estimators.stated import disputed
from empirisk.estimators.undecided import UndecidedError
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, IndexArray

__all__ = ["MixedNB"]

# Kinds of columns, and what a cell of them must be.
KINDS = {
    "gaussian": "a number",
    "poisson": "a whole number >= 0",
    "multinomial": "a number >= 0",
    "bernoulli": "0 or 1",
    "categorical": "a category",
}
COUNTED: dict[str, type] = {
    "poisson": _PoissonColumns,
    "multinomial": MultinomialNB,
    "bernoulli": BernoulliNB,
    "categorical": CategoricalNB,
}


@dataclass(frozen=True, eq=False, repr=False)
class Part(Brief):
    """Columns that share a law, and the naive Bayes model of them alone.

    Parameters
    ----------
    kind : str
        Which of :data:`KINDS`.
    columns : array of int
        Their numbers in the table.
    law : NaiveBayes
        Its prior chances are 1 for every class, so that it says ``log p_k`` of these columns.
    """

    kind: str
    columns: IndexArray
    law: Any

    def rows(self, X: Array) -> tuple[Array, Any]:
        """Return the columns of the rows that have them, and which these are; categories may be empty."""
        mine = X[:, self.columns]
        if self.kind == "categorical":
            return mine, slice(None)
        here = ~np.isnan(mine).any(axis=1)
        return (mine, slice(None)) if here.all() else (mine[here], here)


@documented(MultinomialNB)
class MixedNB(CodedColumns):
    """Columns of several kinds, independent within a class: numbers, counts, truth values, categories.

    ``log P(k | x) = log pi_k + sum_j log p_kj(x_j) + c(x)``; the law p_kj of column j in class k is that of
    its kind:

    - "gaussian": normal, with mean and variance as in :class:`GaussianNB`;
    - "poisson": counts with the rate ``r_kj = (N_kj + alpha m_j) / (S_k + alpha)``, N_kj the sum of the
      column in class k of weight S_k, m_j the mean of the column over all rows;
    - "multinomial": all columns of this kind together are counts of draws, as in :class:`MultinomialNB`;
    - "bernoulli": 0 or 1, as in :class:`BernoulliNB`;
    - "categorical": as in :class:`CategoricalNB`.

    Parameters
    ----------
    kinds : "from_dtype", dict or sequence, default "from_dtype"
        The kind of each column.  By the types of columns text, objects and categories are "categorical",
        truth values "bernoulli", and numbers "gaussian": whether whole numbers are counts is not seen from
        their type.  A dict gives the kinds of some columns, by name or number; a sequence those of all.
    alpha : float, default 1.0
        Lidstone's smoothing, rows (draws, of multinomial columns) that are added to each class, from 0 to
        1e300.
    var_smoothing : float, default 1e-9
        Share of the variance of a column over all rows that is added to its variance in each class, >= 0.
    priors
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    classes_, priors_
        As in :class:`MultinomialNB`.
    kinds_ : tuple of str
        The kind of each column.
    columns_ : ColumnCoder
        The categories of the categorical columns.
    parts_ : tuple
        Kind, numbers of the columns and fitted law of each part: a number, count or truth value is one of its
        own, categorical columns are one, and multinomial columns are one.
    certificate_ : Certificate
        A closed form: the laws of all columns, which are fitted apart.

    Raises
    ------
    ValueError
        For kinds that are none, columns that do not exist, cells outside their kind by column and row, and
        laws that the rows do not decide, by class and column.

    Notes
    -----
    O(n p), one pass; rows are read in double precision.  Weights are repetitions, and ``partial_fit`` adds
    sums and takes new categories in.  A cell that is empty says nothing: it is left out of the sums and of
    the product, and so is a category that training did not have (with a warning, ER003).  Sparse rows are
    refused.

    Examples
    --------
    >>> import pandas as pd, empirisk as er
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 7.0, 9.0], "tone": ["dark", "dark", "pale", "dark"]})
    >>> model = er.MixedNB().fit(X, ["cat", "cat", "dog", "dog"])
    >>> model.kinds_, model.predict(X[:1]).tolist()
    (('gaussian', 'categorical'), ['cat'])
    """

    kinds_: tuple[str, ...]
    parts_: tuple[Part, ...]
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "categorical_features": 'give kinds={column: "categorical"}',
        "fit_prior": "give priors=[1 / K, ...] for equal chances",
        "class_prior": "give priors",
    }

    def __init__(
        self,
        kinds: Any = "from_dtype",
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        priors: Any = None,
    ) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        check_number("alpha", self.alpha, 0.0, MOST_ALPHA)
        check_number("var_smoothing", self.var_smoothing, 0.0)

    # -- rows ---------------------------------------------------------------------------------------

    def _categorical(self, X: Any, reset: bool) -> Sequence[bool]:
        if reset:
            self.kinds_ = _kinds(self.kinds, X)
        return [kind == "categorical" for kind in self.kinds_]

    def _codes(self, X: Any) -> Any:
        try:
            table = super()._codes(X)
        except ValueError as e:
            raise ValueError(str(e).replace("categorical_features", "kinds")) from e
        for j, kind in enumerate(self.kinds_):
            self._refuse_cells(table.X[:, j], j, kind)
        return table

    def _refuse_cells(self, cells: Array, j: int, kind: str) -> None:
        """Refuse cells that are outside of the kind of their column, by column and row."""
        if kind in ("gaussian", "categorical"):
            return
        with np.errstate(invalid="ignore"):
            bad = (cells != 0.0) & (cells != 1.0) if kind == "bernoulli" else cells < 0.0
            bad = bad | (np.mod(cells, 1.0) != 0.0) if kind == "poisson" else bad
        empty = np.isnan(cells)
        bad = bad | empty if kind == "multinomial" else bad & ~empty
        for row in np.flatnonzero(bad)[:1]:
            raise ValueError(
                f"{self._column(j)} of X is {kind}, and holds {cells[row]:g} in row {row}: each cell must be "
                f"{KINDS[kind]}; name another kind in kinds, or change the cells"
            )

    # -- sums ---------------------------------------------------------------------------------------

    def _made(self) -> tuple[Part, ...]:
        """Return the parts with unfitted laws of the columns as they are coded now."""
        found, kinds = [], np.array(self.kinds_)
        for kind in KINDS:
            mine = np.flatnonzero(kinds == kind)
            together = kind in ("multinomial", "categorical") and len(mine)
            for columns in [mine] if together else mine[:, None]:
                found.append(Part(kind, columns, self._law(kind, columns)))
        return tuple(found)

    def _law(self, kind: str, columns: IndexArray) -> Any:
        """Return the unfitted law of some columns, which calls them as the table does."""
        if kind == "gaussian":
            law: Any = GaussianNB(self.var_smoothing)
        else:
            more = {"binarize": None} if kind == "bernoulli" else {}
            law = COUNTED[kind](self.alpha, **more)
        law.classes_, law._places = self.classes_, columns
        if (names := self._names()) is not None:
            law.feature_names_in_ = names[columns]
        if kind == "categorical":
            law.columns_ = _some(self.columns_, columns)
        return law

    def _sums(self, block: Block) -> Any:
        X, found = np.asarray(block.design.X), []
        for part in self._made():
            mine, here = part.rows(X)
            found.append(part.law._sums(Block(Design(mine), block.y[here], block.weight[here], block.start)))
        return np.bincount(block.y, block.weight, len(self.classes_)), tuple(found)

    def _stored(self, sums: Any) -> Any:
        weight, found = sums
        return weight, tuple(p.law._stored(one) for p, one in zip(self._made(), found, strict=True))

    def _restored(self, kept: Any) -> Any:
        weight, found = kept
        return weight, tuple(p.law._restored(one) for p, one in zip(self._made(), found, strict=True))

    def _laid_out(self, kept: Any, old: ColumnCoder, new: ColumnCoder) -> Any:
        weight, found = kept
        out = list(found)
        for at, part in enumerate(self._made()):
            if part.kind == "categorical":
                here = _some(old, part.columns), _some(new, part.columns)
                out[at] = part.law._laid_out(out[at], *here)
        return weight, tuple(out)

    def _conclude(self, sums: Any, rows: Any = None) -> str:
        weight, found = sums
        self._set_priors(weight)
        parts = self._made()
        for part, one in zip(parts, found, strict=True):
            part.law._conclude(one)
            bare = (weight > 0.0) & ~(part.law.class_weight_sums_ > 0.0)
            for k in np.flatnonzero(bare)[:1]:
                raise UndecidedError(
                    f"{self._column(part.columns[0])} is empty in every row of {self._class(k)}: its law "
                    "there is not decided; drop the column, or impute it"
                )
            part.law.priors_ = np.ones(len(weight))
        self.parts_ = parts
        count = {kind: self.kinds_.count(kind) for kind in KINDS if kind in self.kinds_}
        told = ", ".join(f"{n} {kind}" for kind, n in count.items())
        return f"in closed form: the laws of {told} columns, fitted apart; no inverse"

    def _joint(self, X: Any) -> Array:
        out = np.tile(self._log_priors(), (len(X), 1))
        for part in self.parts_:
            mine, here = part.rows(X)
            if len(mine):
                out[here] += part.law._joint(mine)
        return out

    # -- claims -------------------------------------------------------------------------------------

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        return {}

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate where plain NumPy finds the laws of all parts from the rows at once."""
        again = super()._verify(X, y, sample_weight)
        return again if again.kind is Kind.NONE else self._other_laws(X, y, sample_weight) or again

    def _other_laws(self, X: Any, y: Any, sample_weight: Any) -> Certificate | None:
        """Return why the law of some columns is not that of the rows, or None where all are."""
        X, y, weight = self._encoded(X, y, sample_weight)
        for part in self.parts_:
            mine, here = part.rows(X)
            found = {"priors_": np.ones(len(self.classes_))}
            found |= part.law._plain(mine, y[here], weight[here])
            if (told := disputed(part.law, found)) is not None:
                return told
        return None


def _some(coder: ColumnCoder, columns: IndexArray) -> ColumnCoder:
    """Return the categories of some columns."""
    names = None if coder.names is None else tuple(coder.names[j] for j in columns)
    return ColumnCoder(tuple(coder.categories[j] for j in columns), names)


def _kinds(given: Any, X: Any) -> tuple[str, ...]:
    """Return the kind of each column of a table, as given and else by its type."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else []
    p = int(np.shape(X)[1])
    if isinstance(given, str):
        check_choice("kinds", given, {"from_dtype": None})
        return tuple(_by_type(X))
    if not isinstance(given, Mapping):
        if np.ndim(given) != 1 or len(given) != p:
            raise ValueError(
                f'kinds must be "from_dtype", a dict or one kind for each of the {p} columns, got {given!r}'
            )
        return tuple(_kind(one) for one in given)
    found = list(_by_type(X))
    for column, one in given.items():
        if isinstance(column, str) and column in names:
            found[names.index(column)] = _kind(one)
        elif isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < p:
            found[int(column)] = _kind(one)
        else:
            known = f"names among {names[:8]}" if names else "numbers"
            raise ValueError(f"kinds names {column!r}, which X does not have; give {known} or 0..{p - 1}")
    return tuple(found)


def _kind(given: Any) -> str:
    """Return a kind that a user names, checked."""
    check_choice("kinds", given, dict.fromkeys(KINDS))
    return str(given)


def _by_type(X: Any) -> Iterator[str]:
    """Yield the kind of each column by its type."""
    if not hasattr(X, "columns"):
        for column in np.asarray(X).T:
            yield "gaussian" if column.dtype.kind in "fiu" else _of_cells(column.tolist())
        return
    frame = nw.from_native(X, eager_only=True)
    for j, dtype in enumerate(frame.schema.values()):
        if dtype == nw.Boolean:
            yield "bernoulli"
        elif dtype.is_numeric() or dtype.is_temporal():  # dates are refused in words
            yield "gaussian"
        else:
            yield "categorical" if dtype != nw.Object else _of_cells(frame[:, j].to_list())


def _of_cells(cells: Sequence[Any]) -> str:
    """Return the kind of a column of objects: categories where some cell is text."""
    known = [cell for cell in cells if cell is not None and cell == cell]
    for cell in known:
        if not isinstance(cell, str | complex):
            try:
                float(cell)
            except (TypeError, ValueError):
                told = f"X holds {cell!r}, which is of no kind: each argument must be a string or a number"
                raise TypeError(told) from None
    if known and all(isinstance(cell, bool | np.bool_) for cell in known):
        return "bernoulli"
    return "categorical" if any(isinstance(cell, str) for cell in known) else "gaussian"
