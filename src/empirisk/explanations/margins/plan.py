"""What margins are asked for, as linear combinations of averages over changed tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

from empirisk.explanations.margins.tables import Change, RowTable, is_flag
from empirisk.typing import Array

__all__ = ["Plan", "Quantity", "plan_of"]

# A five-point difference: its error is h^4 m^(5) / 30, with h a thousandth of the spread of a column below
# the rounding of the means.
STEP = 1e-3
STENCIL = ((1.0, 8.0 / 12.0), (-1.0, -8.0 / 12.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))


@dataclass(frozen=True)
class Quantity:
    """A combination ``sum_t c_t average_t``, or the ratio of the first average to the second.

    Parameters
    ----------
    where : dict
        What it is about, for the table.
    parts : tuple of (int, float)
        Tables and their factors.
    """

    where: dict[str, Any]
    parts: tuple[tuple[int, float], ...]


@dataclass
class Plan:
    """The changed tables that are averaged over, each once, and the quantities made of the averages.

    Parameters
    ----------
    tables : list of tuple of Change
    quantities : list of Quantity
    """

    tables: list[tuple[Change, ...]] = field(default_factory=list)
    quantities: list[Quantity] = field(default_factory=list)

    def table(self, changes: Iterable[Change]) -> int:
        """Return the number of the table with these changes, which is added where it is new."""
        key = tuple(changes)
        if key not in self.tables:
            self.tables.append(key)
        return self.tables.index(key)

    def add(self, where: Mapping[str, Any], parts: Sequence[tuple[Iterable[Change], float]]) -> None:
        """Add a quantity made of the averages over tables with these changes."""
        self.quantities.append(Quantity(dict(where), tuple((self.table(c), factor) for c, factor in parts)))

    def combined(
        self, averages: list[Array], ratio: bool, gradients: list[Array] | None = None
    ) -> tuple[Array, Array]:
        """Return the quantities of a plan, by quantity, group and output, and their gradients.

        Of ratios these are the logarithms, whose law is nearer to the normal one.
        """
        value: list[Array] = []
        slope: list[Array] = []
        for quantity in self.quantities:
            if ratio:
                (a, _), (b, _) = quantity.parts
                if (averages[a] <= 0.0).any() or (averages[b] <= 0.0).any():
                    raise ValueError('compare="ratio" needs averages above 0: use compare="difference"')
                value.append(np.log(averages[a] / averages[b]))
                if gradients is not None:
                    slope.append(
                        gradients[a] / averages[a][..., None] - gradients[b] / averages[b][..., None]
                    )
                continue
            factors = [c for _, c in quantity.parts]
            value.append(np.tensordot(factors, [averages[t] for t, _ in quantity.parts], 1))
            if gradients is not None:
                slope.append(np.tensordot(factors, [gradients[t] for t, _ in quantity.parts], 1))
        flat = np.stack(value).ravel()
        return flat, np.stack(slope).reshape(len(flat), -1) if slope else np.empty((len(flat), 0))

    def where(self, labels: list[dict[str, Any]], outputs: list[str]) -> dict[str, list[Any]]:
        """Return the columns that say what each row is about; those that say nothing are left out."""
        rows = [
            {**q.where, **label, **({"output": name} if len(outputs) > 1 else {})}
            for q in self.quantities
            for label in labels
            for name in outputs
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}


def plan_of(
    table: RowTable,
    weight: Array,
    *,
    effects: Any,
    at: Any,
    contrast: Any,
    compare: str,
    pairs: bool,
    step: float | None,
    smooth: bool,
) -> Plan:
    """Return the plan of a call of :func:`empirisk.margins`; parameters as there.

    Parameters
    ----------
    table : RowTable
    weight : array, shape (n,)
        Of the rows.
    smooth : bool
        Whether predictions have derivatives in the numeric columns.
    """
    plan = Plan()
    for where, base in _places(table, weight, at):
        if contrast is not None:
            for column, values in _contrasts(table, contrast):
                chosen = combinations(values, 2) if pairs else ((values[0], v) for v in values[1:])
                for old, new in chosen:
                    sign = "-" if compare == "difference" else "/"
                    said = f"{_word(new)} {sign} {_word(old)}"
                    key = {"column": table.label(column), "change": said, **where}
                    both = [((*base, Change(column, v)), c) for v, c in ((new, 1.0), (old, -1.0))]
                    plan.add(key, both)
        elif effects is not None:
            for column in _columns(table, effects):
                _effect(plan, table, column, where, base, step, smooth)
        else:
            plan.add(where, [(base, 1.0)])
    if not plan.quantities:
        raise ValueError("there is nothing to compute: effects and contrast name no column with two values")
    return plan


def _effect(
    plan: Plan,
    table: RowTable,
    column: Any,
    where: Mapping[str, Any],
    base: tuple[Change, ...],
    step: float | None,
    smooth: bool,
) -> None:
    """Add the effects of one column: a slope for numbers, differences for 0 and 1 and for levels."""
    name, values = table.label(column), table.values(column)
    if values.dtype.kind == "O":
        levels = _levels(values)
        for level in levels[1:]:
            key = {"column": name, "change": f"{level} - {levels[0]}", **where}
            plan.add(key, [((*base, Change(column, v)), c) for v, c in ((level, 1.0), (levels[0], -1.0))])
        return
    if is_flag(values) and step is None:
        key = {"column": name, "change": "1 - 0", **where}
        plan.add(key, [((*base, Change(column, v)), c) for v, c in ((1.0, 1.0), (0.0, -1.0))])
        return
    spread = float(np.std(values))
    spread = spread if spread > 0.0 else max(1.0, float(np.abs(values).max()))
    if step is None and smooth:
        h = STEP * spread
        parts = [((*base, Change(column, k * h, True)), c / h) for k, c in STENCIL]
        plan.add({"column": name, "change": "slope", **where}, parts)
        return
    width = spread if step is None else step
    key = {"column": name, "change": f"per unit, over {width:.4g}", **where}
    ends = ((0.5 * width, 1.0 / width), (-0.5 * width, -1.0 / width))
    plan.add(key, [((*base, Change(column, move, True)), c) for move, c in ends])


def _columns(table: RowTable, effects: Any) -> list[Any]:
    """Return the columns whose effects are asked for."""
    if isinstance(effects, str) and effects == "all" and "all" not in map(str, table.names):
        return table.names
    given = [effects] if isinstance(effects, str | int | np.integer) else list(effects)
    return [table.column(name, "effects") for name in given]


def _contrasts(table: RowTable, contrast: Any) -> list[tuple[Any, list[Any]]]:
    """Return the columns of contrasts with the values that are compared, the reference first."""
    if isinstance(contrast, str | int | np.integer):
        contrast = {contrast: None}
    elif not isinstance(contrast, Mapping):
        contrast = dict.fromkeys(contrast)
    out = []
    for given, values in contrast.items():
        column = table.column(given, "contrast")
        cells = table.values(column)
        if values is None:
            if cells.dtype.kind != "O" and not is_flag(cells):
                raise ValueError(
                    f"contrast: {given!r} is a column of numbers; give the values that are compared, "
                    f"contrast={{{given!r}: [a, b]}}"
                )
            values = [0.0, 1.0] if cells.dtype.kind != "O" else _levels(cells)
        chosen = _many(values)
        if len(chosen) < 2:
            raise ValueError(f"contrast: {given!r} has {len(chosen)} value; a contrast needs two or more")
        out.append((column, chosen))
    return out


def _places(table: RowTable, weight: Array, at: Any) -> list[tuple[dict[str, Any], tuple[Change, ...]]]:
    """Return what `at` sets: for each place its words and its changes; one place without any by default."""
    if at is None:
        return [({}, ())]
    if isinstance(at, str):
        if at != "mean":
            raise ValueError(f'at must be "mean" or a mapping from columns to values, got {at!r}')
        cells = {name: table.values(name) for name in table.names}
        text = [table.label(name) for name, v in cells.items() if v.dtype.kind == "O"]
        if text:
            raise ValueError(f'at="mean": {text[0]!r} is no column of numbers and has no mean; use a mapping')
        means = [Change(n, float(weight @ v / weight.sum())) for n, v in cells.items()]
        return [({"at": "means"}, tuple(means))]
    columns = [table.column(name, "at") for name in at]
    grid = product(*(_many(values) for values in at.values()))
    return [
        (
            {table.label(c): v for c, v in zip(columns, point, strict=True)},
            tuple(Change(c, v) for c, v in zip(columns, point, strict=True)),
        )
        for point in grid
    ]


def _levels(cells: np.ndarray) -> list[str]:
    """Return the sorted levels of a column of words; cells without a value have none."""
    return sorted({str(v) for v in cells if v is not None})


def _many(values: Any) -> list[Any]:
    """Return values as a list of plain numbers and words, also a single one."""
    many = [values] if isinstance(values, str) or np.ndim(values) == 0 else list(values)
    return [v.item() if isinstance(v, np.generic) else v for v in many]


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
