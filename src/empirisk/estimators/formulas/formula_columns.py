"""What a formula makes of a table: columns, targets, offsets and exposures, as formulaic reads it.

Wilkinson and Rogers, Applied Statistics 22 (1973).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.estimators.formulas.near_spline import OutsideKnotsError, near_spline
from empirisk.estimators.formulas.new_levels import refuse_computed_levels, refuse_levels, refuse_text
from empirisk.typing import Array

__all__ = ["FormulaColumns", "spelled", "split_formula"]

KNOWN_ROWS = ("offset", "exposure")
# A point that is no part of a number or of a name such as np.log.
DOT = re.compile(r"(?<![\w.)\]`])\.(?![\w.])")


def split_formula(text: str) -> tuple[str | None, str, dict[str, str]]:
    """Return the left side (None without one), the right side, and what ``offset`` and ``exposure`` hold.

    Raises
    ------
    ValueError
        For two terms of one kind, brackets that do not close, and terms that are no plain sum.

    Examples
    --------
    >>> split_formula("deaths ~ age + offset(log(years))")
    ('deaths', 'age', {'offset': 'log(years)'})
    """
    left, bar, right = text.partition("~")
    if not bar:
        left, right = "", text
    found: dict[str, str] = {}
    while (m := re.search(r"(^|\+)\s*(offset|exposure)\s*\(", right)) is not None:
        kind, end = m.group(2), _closing(right, m.end())
        if kind in found:
            raise ValueError(f"the formula has two terms {kind}(...): add what they hold in one")
        rest = right[end + 1 :].lstrip()
        if rest and rest[0] not in "+-":
            raise ValueError(
                f"{kind}(...) must be a term of its own in the sum, and {rest[:20]!r} follows it"
            )
        found[kind] = right[m.end() : end].strip()
        before = right[: m.start()].strip()
        right = f"{before} {rest}" if before else rest.removeprefix("+").strip()
    return left.strip() or None, right.strip() or "1", found


def spelled(text: str, data: Any) -> str:
    """Return a formula with `.` replaced by all columns of a table that it does not name elsewhere.

    Examples
    --------
    >>> import pandas as pd
    >>> spelled("y ~ . + age:sex", pd.DataFrame(columns=["age", "sex", "y", "body mass"]))
    'y ~ (age + sex + `body mass`) + age:sex'
    """
    left, right, known = split_formula(text)
    if DOT.search(right) is None or not hasattr(data, "columns"):
        return text
    taken = read_columns(" ".join([left or "", *known.values()]), data)
    names = [str(c) for c in data.columns if str(c) not in taken]
    if not names:
        raise ValueError(f"the formula {text!r} means all other columns by '.', and the data have none")
    summed = " + ".join(name if name.isidentifier() else f"`{name}`" for name in names)
    start = text.index("~") + 1 if "~" in text else 0
    return text[:start] + DOT.sub(lambda _: f"({summed})", text[start:])


def _closing(text: str, start: int) -> int:
    """Return where the bracket closes that was opened before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError(f"a bracket of the formula does not close: {text!r}")


@dataclass(frozen=True, repr=False)
class FormulaColumns(Brief):
    """A formula that was fitted to the rows of a table: it keeps levels, knots, means and scales.

    Parameters
    ----------
    text : str
        The formula.
    names : tuple of str
        Names of the columns, without the intercept.
    intercept : bool
        Whether the formula has one.
    variables : tuple of str
        The columns of the table that the right side reads.
    specs : mapping
        The fitted specifications of formulaic: of the columns, ``offset`` and ``exposure``.
    """

    text: str
    names: tuple[str, ...]
    intercept: bool
    variables: tuple[str, ...]
    specs: Mapping[str, Any] = field(repr=False)

    @classmethod
    def fit(cls, text: str, data: Any) -> tuple[FormulaColumns, Any, dict[str, Array]]:
        """Return the fitted formula with the columns of these rows, a frame, and their offset and exposure.

        Raises
        ------
        ImportError
            Where formulaic is not installed.
        ValueError
            For a formula that is none, columns that the table lacks, and empty cells, by column and row.
        """
        _, right, known = split_formula(text)
        variables = read_columns(" ".join([right, *known.values()]), data)
        refuse_missing(data, variables)
        specs, rows = {}, {}
        for kind, inside in known.items():
            made = evaluated("0 + {" + inside + "}", data)
            specs[kind], rows[kind] = made.model_spec, _one_column(kind, made)
        made = evaluated(right, data)
        specs["columns"] = made.model_spec
        names = tuple(made.model_spec.column_names)
        bare = tuple(name for name in names if name != "Intercept")
        if not bare:
            raise ValueError(f"the formula {text!r} has no columns but the intercept: add one")
        fitted = cls(text, bare, "Intercept" in names, variables, specs)
        return fitted, fitted._framed(made), rows

    @property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """The positions of the columns of each term, by its words."""
        shift = int(self.intercept)
        terms = self.specs["columns"].term_indices.items()
        return {str(t): tuple(int(j) - shift for j in at) for t, at in terms if str(t) != "1"}

    @property
    def factors(self) -> dict[str, frozenset[str]]:
        """The factors that each term is the product of, by the words of the term and of the factors."""
        terms = self.specs["columns"].term_indices
        return {str(t): frozenset(str(f) for f in t.factors) for t in terms if str(t) != "1"}

    def transform(self, data: Any) -> tuple[Any, dict[str, Array]]:
        """Return the columns, and offset and exposure, of new rows, with the numbers of the fit.

        Raises
        ------
        ValueError
            For columns that the table lacks, empty cells, and levels that the fit did not have, by row.
        """
        lacking = [name for name in self.variables if name not in list(data.columns)]
        if lacking:
            raise ValueError(f"the formula reads {lacking[0]!r}{_near(lacking[0], data)}")
        refuse_missing(data, self.variables)
        spec = self.specs["columns"]
        refuse_levels(spec, data)
        refuse_text(spec, data)
        rows = {k: _one_column(k, evaluated(self.specs[k], data)) for k in KNOWN_ROWS if k in self.specs}
        try:
            made = evaluated(spec, data)
        except UnseenLevelError:
            refuse_computed_levels(spec, data, evaluated)
            raise
        return self._framed(made), rows

    def _framed(self, made: Any) -> Any:
        import pandas as pd

        values = np.asarray(made, dtype=np.float64)
        kept = [j for j, name in enumerate(made.model_spec.column_names) if name != "Intercept"]
        return pd.DataFrame(values[:, kept], columns=list(self.names))


class UnseenLevelError(ValueError):
    """Rows with a level of a factor that training, or the formula's own list of levels, does not have."""


def evaluated(formula: Any, data: Any) -> Any:
    """Return the model matrix of a formula or a fitted specification; errors become sentences."""
    try:
        from formulaic import Formula
        from formulaic.errors import DataMismatchWarning, FormulaicError
    except ImportError:
        raise ImportError("formulas need formulaic: pip install 'empirisk[formula]'") from None
    try:
        made = Formula(formula) if isinstance(formula, str) else formula
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", DataMismatchWarning)
            context = {"bs": near_spline()}
            return made.get_model_matrix(data, output="numpy", na_action="ignore", context=context)
    except DataMismatchWarning as e:
        named = re.search(r"\{(.*)\}", str(e))
        raise UnseenLevelError(
            f"a factor of the formula has levels that it does not know: {named[1] if named else e}; drop "
            "those rows, or name the levels"
        ) from None
    except FormulaicError as e:
        if isinstance(beyond := e.__cause__ or e.__context__, OutsideKnotsError):
            raise ValueError(f"the formula {_words(formula)!r}: {beyond}") from None
        missing = re.search(r"NameError: (?:`([^`]+)` is not present|name '([^']+)' is not defined)", str(e))
        if missing:
            name = missing[1] or missing[2]
            raise ValueError(f"the formula reads {name!r}{_near(name, data)}") from None
        plain = re.sub(r"\x1b\[[0-9;]*m|[⧛⧚]", "", str(e)).strip().splitlines()
        raise ValueError(f"the formula cannot be read, at {_words(formula)!r}: {plain[0]}") from None


def _words(formula: Any) -> str:
    """Return a formula as it was written, also where formulaic holds it with all that it learned."""
    return str(getattr(formula, "formula", formula))


def read_columns(text: str, data: Any) -> tuple[str, ...]:
    """Return the columns of a table that a formula names."""
    if not hasattr(data, "columns"):
        raise TypeError(f"a formula reads a data frame, got {type(data).__name__}: its columns need names")
    found = (str(c) for c in data.columns)
    return tuple(c for c in found if re.search(rf"(?<![\w.]){re.escape(c)}(?!\w|\s*\()", text))


def refuse_missing(data: Any, variables: tuple[str, ...]) -> None:
    """Refuse empty cells in the columns that a formula reads, by column and row."""
    for name in variables:
        empty = is_empty(data, name)
        if empty.any():
            raise ValueError(
                f"the formula reads an empty cell in column {name!r}, row {int(np.argmax(empty))} "
                f"({int(empty.sum())} such rows in all); impute them, drop those rows, or fit "
                "with missing='drop'"
            )


def is_empty(data: Any, name: str) -> Any:
    """Return which cells of a column are None, NaN or another missing value."""
    values = np.asarray(data[name])
    if values.dtype.kind in "iub":
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        return np.isnan(values)
    odd = ("NAType", "NaTType")
    return np.array(
        [v is None or v != v or type(v).__name__ in odd for v in values.astype(object)], dtype=bool
    )


def _one_column(kind: str, made: Any) -> Array:
    """Return the numbers of an offset or exposure, which must be one column."""
    values = np.asarray(made, dtype=np.float64)
    if values.shape[1] != 1:
        raise ValueError(f"{kind}(...) must be one column of numbers, and it has {values.shape[1]}")
    return np.asarray(values[:, 0])


def _near(name: str, data: Any) -> str:
    """Return the end of a sentence about a column that a table lacks."""
    columns = [str(c) for c in data.columns]
    near = get_close_matches(name, columns, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f", which is no column of the data (they are {', '.join(columns[:8])}){meant}"
