"""From the feature columns of a table to a numeric matrix, and from its columns back to the table.

scikit-learn's own transformers are used, and for texts one of ours, so that a saved model holds no code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from empirisk.report.errors import DataError
from empirisk.report.fit.texts import TextColumn
from empirisk.report.read.table import Column, Table

__all__ = [
    "MISSING",
    "RARE",
    "TRUSTED_TYPES",
    "Origin",
    "blocks_of",
    "calendar_columns",
    "feature_origin",
    "is_text",
    "letters_a_row",
    "make_encoder",
    "model_frame",
    "n_numbers",
    "rare_below",
    "text_origins",
    "text_steps",
    "without_part",
]

MISSING = "(missing)"
RARE = "(rare levels)"
WORDS = "words"  # the part of a text that the encoder reads
# What skops must be told to trust to load a fitted encoder: the data type that SimpleImputer saw.
TRUSTED_TYPES: tuple[str, ...] = ("numpy.dtype",)
HOUR, HOURS = "hour", "hour of day"  # a number, which trees cut, and levels, for models of sums
_MAX_LEVELS = 100
_DAY = 86_400e6  # microseconds
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Origin:
    """Where a column of the encoded matrix comes from.

    The column is ``(x - center) / scale`` with x the source in its own unit (a number; 0/1 for a level, a
    truth value or a missing mark), so a coefficient w is ``w / scale`` per unit of the source and ``w * sd``
    per standard deviation.

    Parameters
    ----------
    name : str
        Readable name: ``age``, ``workclass = Private``, ``age is missing``.
    source : str
        Column of the table.
    kind : {"number", "boolean", "level", "missing", "date", "text", "group"}
        What the encoded column says; a group of rows comes from several columns and has no source.
    level : str
        The level ("" unless kind is "level"); :data:`RARE` for the group of rare levels.
    center, scale : float
        Of the standardisation.
    sd : float
        Standard deviation of the encoded column over the rows given to :func:`feature_origin` (NaN without).
    grouped : tuple of str
        The levels behind :data:`RARE`.
    """

    name: str
    source: str
    kind: str
    level: str = ""
    center: float = 0.0
    scale: float = 1.0
    sd: float = float("nan")
    grouped: tuple[str, ...] = ()


def model_frame(table: Table, rows: Sequence[int] | np.ndarray | None = None) -> pl.DataFrame:
    """Return the features of a table as the encoder takes them.

    Numbers and 0/1 for truth values (both Float64, NaN where missing); levels as strings with :data:`MISSING`
    where there is none; a date as days since 1970-01-01, month and weekday, and when the dates have times the
    hour, as a number and as a level; of a time column the parts that come again; free text as it is, ""
    where there is none.

    Parameters
    ----------
    table : Table
    rows : sequence of int, optional
        Row numbers; all rows when None.
    """
    frame = table.frame if rows is None else table.frame[np.asarray(rows, dtype=np.int64)]
    return frame.select([e for c in _read(table) for e in _expressions(c)])


def _read(table: Table) -> list[Column]:
    """Return the columns that models read: the features, and a time column by its parts that come again."""
    return [c for c in table.columns if c.role == "feature" or (c.role == "time" and c.levels)]


def calendar_columns(table: Table) -> tuple[str, ...]:
    """Return the columns of the model frame that are parts of the time column."""
    return tuple(
        _part(c.name, part)
        for c in table.columns
        if c.role == "time" and c.levels
        for part in date_parts(c)[1]
    )


def date_parts(column: Column) -> tuple[list[str], list[str]]:
    """Return which parts of a date are numbers, and which are levels.

    Of a time column those of :attr:`Column.levels`, which come again, and no number that only grows.
    """
    clock = [HOUR] if column.unit == "time of day" else []
    if column.role == "time":
        return [], [part for part in ("month", "weekday", HOURS) if part in column.levels]
    return ["days", *clock], ["month", "weekday", *([HOURS] if clock else [])]


def _expressions(column: Column) -> list[pl.Expr]:
    name, it = column.name, pl.col(column.name)
    if column.kind == "date":
        numbers, levels = date_parts(column)
        made = {
            "days": it.dt.epoch("us") / _DAY,
            HOUR: it.dt.hour() + it.dt.minute() / 60.0,
            "month": it.dt.month().cast(pl.String).str.zfill(2),
            "weekday": it.dt.weekday().replace_strict(range(1, 8), _WEEKDAYS, default=None),
            HOURS: it.dt.hour().cast(pl.String).str.zfill(2),
        }
        missing = dict.fromkeys(numbers, pl.lit(float("nan"))) | dict.fromkeys(levels, pl.lit(MISSING))
        parts = {part: made[part].cast(pl.Float64) for part in numbers} | {
            part: made[part] for part in levels
        }
        return [parts[part].fill_null(missing[part]).alias(_part(name, part)) for part in parts]
    if column.kind in ("number", "boolean"):
        return [it.cast(pl.Float64).fill_null(float("nan"))]
    if column.kind == "text":
        return [it.cast(pl.String).fill_null("").alias(_part(name, WORDS))]
    return [it.cast(pl.String).fill_null(MISSING)]


def _part(name: str, part: str) -> str:
    return f"{name} ({part})"


def is_text(name: str) -> bool:
    """Return whether a column of a model frame holds free text, which no page shows."""
    return name.endswith(f" ({WORDS})")


def letters_a_row(frame: pl.DataFrame) -> float:
    """Return how many letters the texts of a row of a model frame have, on average."""
    texts = [frame[name].str.len_chars().sum() for name in frame.columns if is_text(name)]
    return float(sum(texts)) / max(1, frame.height)


def blocks_of(table: Table) -> dict[str, list[str]]:
    """Return the columns of the model frame by the way in which they are encoded; the parts of dates are kept
    apart.
    """
    keys = ("numbers", "dates", "truths", "missing", "missing_dates", "levels", "date_levels", "texts")
    out: dict[str, list[str]] = {key: [] for key in keys}
    for c in _read(table):
        if c.kind == "date":
            numbers, levels = ([_part(c.name, part) for part in parts] for parts in date_parts(c))
            out["dates"] += numbers
            out["date_levels"] += levels
            out["missing_dates"] += numbers[:1] if c.n_missing else []
        elif c.kind in ("number", "boolean"):
            out["numbers" if c.kind == "number" else "truths"].append(c.name)
            out["missing"] += [c.name] if c.n_missing else []
        elif c.kind == "text":
            out["texts"].append(_part(c.name, WORDS))
        else:
            out["levels"].append(c.name)
    names = [n for key, columns in out.items() if not key.startswith("missing") for n in columns]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise DataError(
            f"a column is called {twice[0]!r} like a part of a date or text column: rename one of them"
        )
    return out


def n_numbers(table: Table) -> int:
    """Return how many standardised numbers lead the encoded columns of :func:`make_encoder`."""
    return len(blocks_of(table)["numbers"])


def rare_below(n_rows: int) -> int:
    """Return the number of rows below which a level has no column of its own: ten, or one row in 50 (at least
    two)."""
    return max(2, min(10, n_rows // 50))


def make_encoder(
    table: Table, *, scale: bool = True, marks: bool = True, weights: Mapping[str, float] | None = None
) -> ColumnTransformer:
    """Return an unfitted transformer of :func:`model_frame` to a dense float matrix.

    Numbers (and the days of dates): missing values become the median, then mean 0 and standard deviation 1;
    truth values stay 0/1 (missing: the more frequent one); columns that have missing values get a 0/1 column
    that says where. Levels: one 0/1 column each, a missing value being a level; levels with fewer than ten
    rows (or one row in 50, where that is less) share one column, which also takes levels never seen before.
    0/1 columns are not rescaled, so that a penalty treats every level alike, however rare it is. Texts:
    components and buckets of their words (:class:`empirisk.report.fit.texts.TextColumn`), at the end.

    Parameters
    ----------
    table : Table
        Decides the columns; the encoder learns from the rows that it is fitted on.
    scale : bool, default=True
        Whether numbers are standardised (trees do not need it).
    marks : bool, default=True
        Whether columns that have missing values get a 0/1 column that says where.
    weights : mapping of str to float, optional
        Factors on the encoded columns of a block of :func:`blocks_of`, such as ``"levels"``.

    Raises
    ------
    DataError
        The table has no feature column.
    """
    blocks = {k: v for k, v in blocks_of(table).items() if marks or not k.startswith("missing")}
    if not any(blocks.values()):
        raise DataError(f"{table.source.name} has no feature column: force one with --types")
    texts = blocks.pop("texts")
    made = {key: _transformer(key, table, scale) for key in blocks}
    steps = [(key, made[key], columns) for key, columns in blocks.items() if columns]
    used = {key: factor for key, factor in (weights or {}).items() if blocks[key]}
    return ColumnTransformer([*steps, *text_steps(texts)], transformer_weights=used or None)


def text_steps(columns: Sequence[str]) -> list[tuple[str, TextColumn, str]]:
    """Return a step of an encoder for each column of text."""
    return [(f"text{i}", TextColumn(), column) for i, column in enumerate(columns)]


def text_origins(fitted: TextColumn, column: str) -> list[Origin]:
    """Return what the columns of a fitted text column are."""
    source = without_part(column)
    return [Origin(f"{source}: {label}", source, "text") for label in fitted.labels]


def _transformer(key: str, table: Table, scale: bool) -> Any:
    if key in ("numbers", "dates"):
        impute = ("impute", SimpleImputer(strategy="median", keep_empty_features=True))
        return Pipeline([impute, ("scale", StandardScaler())] if scale else [impute])
    if key == "truths":
        return SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    if key in ("missing", "missing_dates"):
        return MissingIndicator(features="all", sparse=False)
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=rare_below(table.n_rows),
        max_categories=_MAX_LEVELS,
        sparse_output=False,
    )


def feature_origin(encoder: ColumnTransformer, encoded: np.ndarray | None = None) -> list[Origin]:
    """Tell for each column of the encoded matrix which column and level of the table it comes from.

    Parameters
    ----------
    encoder : ColumnTransformer
        A fitted one from :func:`make_encoder`.
    encoded : array of shape (n_rows, n_encoded), optional
        Encoded training rows, for the standard deviations.

    Returns
    -------
    list of Origin
        In the order of the encoded columns.
    """
    out: list[Origin] = []
    for key, fitted, columns in encoder.transformers_:
        sources = [without_part(c) for c in columns] if "date" in key else list(columns)
        if key in ("numbers", "dates"):
            out += _numbers(fitted, columns, sources)
        elif key == "truths":
            out += [Origin(c, c, "boolean") for c in columns]
        elif key in ("missing", "missing_dates"):
            out += [Origin(f"{s} is missing", s, "missing") for s in sources]
        elif key in ("levels", "date_levels"):
            out += _levels(fitted, columns, sources)
        elif key.startswith("text"):
            out += text_origins(fitted, columns)
    if encoded is None:
        return out
    sds = np.asarray(encoded, dtype=np.float64).std(axis=0)
    return [replace(o, sd=float(sd)) for o, sd in zip(out, sds, strict=True)]


def without_part(name: str) -> str:
    """Return the column behind one of its parts: ``day (month)`` is of ``day``."""
    return name[: name.rindex(" (")]


def _numbers(fitted: Pipeline, columns: Sequence[str], sources: Sequence[str]) -> list[Origin]:
    scaler = fitted.named_steps.get("scale")
    centers = np.zeros(len(columns)) if scaler is None else scaler.mean_
    scales = np.ones(len(columns)) if scaler is None else scaler.scale_
    return [
        Origin(name, source, "number" if source == name else "date", "", float(m), float(s))
        for name, source, m, s in zip(columns, sources, centers, scales, strict=True)
    ]


def _levels(fitted: OneHotEncoder, columns: Sequence[str], sources: Sequence[str]) -> list[Origin]:
    out = []
    infrequent = fitted.infrequent_categories_
    for column, source, known, rare in zip(columns, sources, fitted.categories_, infrequent, strict=True):
        grouped = () if rare is None else tuple(str(r) for r in rare)
        for level in (str(k) for k in known if str(k) not in grouped):
            out.append(Origin(f"{column} = {level}", source, "level", level))
        if grouped:
            out.append(Origin(f"{column} = {RARE}", source, "level", RARE, grouped=grouped))
    return out
