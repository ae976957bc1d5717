"""Levels of factors in new rows that training did not have: found for columns and for computed factors.

Chambers and Hastie, Statistical Models in S (1992), chapter 2, on factors and the levels that they keep.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

__all__ = ["refuse_computed_levels", "refuse_levels", "refuse_text"]


def refuse_levels(spec: Any, data: Any) -> None:
    """Refuse levels of columns that are factors, which the fit did not have, by column, level and row."""
    columns = list(data.columns)
    for inside, levels in _factors(spec):
        if inside not in columns:
            continue
        known = set(levels)
        for row, cell in enumerate(np.asarray(data[inside], dtype=object).tolist()):
            if cell not in known:
                raise ValueError(_sentence(f"column {inside!r}", cell, row, levels))


def refuse_computed_levels(spec: Any, data: Any, evaluated: Callable[[Any, Any], Any]) -> None:
    """Refuse levels of factors that the formula computes, such as ``C(a + b)``, by factor, level and row.

    `evaluated` makes the columns of a formula, here an indicator of each level that the new rows have.
    """
    columns = list(data.columns)
    for inside, levels in _factors(spec):
        if inside in columns:
            continue
        made = evaluated(f"0 + C({inside})", data)
        (_, state), *_ = made.model_spec.encoder_state.values()
        found, known = list(state["categories"]), set(levels)
        of_row = np.asarray(made, dtype=np.float64).argmax(axis=1)
        wrong = np.array([found[k] not in known for k in of_row])
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(_sentence(f"the factor C({inside})", found[of_row[row]], row, levels))


def refuse_text(spec: Any, data: Any) -> None:
    """Refuse text in columns that held numbers in training, by column and row."""
    columns = list(data.columns)
    for factor, (_, state) in spec.encoder_state.items():
        name = str(factor).strip("`")
        if "categories" in state or name not in columns:
            continue
        for row, cell in enumerate(np.asarray(data[name], dtype=object).tolist()):
            if isinstance(cell, str):
                raise ValueError(
                    f"column {name!r} holds the text {cell!r} in row {row}, and training had numbers there: "
                    "give numbers"
                )


def _factors(spec: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """Return what stands inside of each factor of categories, and its levels in training."""
    for factor, (_, state) in spec.encoder_state.items():
        if "categories" in state:
            yield _inside(str(factor)), list(state["categories"])


def _inside(factor: str) -> str:
    """Return the first argument of ``C(...)``, a bare name without its marks; other factors as they are.

    Examples
    --------
    >>> _inside("C(a + b, contr.sum)"), _inside("C(`my col`)"), _inside("region")
    ('a + b', 'my col', 'region')
    """
    plain = factor.strip()
    if plain.startswith("C(") and "`" not in plain:
        call = ast.parse(plain, mode="eval").body
        return ast.unparse(call.args[0]) if isinstance(call, ast.Call) and call.args else plain
    if plain.startswith("C(`"):
        name, _, rest = plain[3:].partition("`")
        if rest.lstrip()[:1] in (",", ")"):
            return name
    return plain[2:-1] if plain.startswith("C(") else plain.strip("`")


def _sentence(where: str, level: Any, row: int, levels: Sequence[Any]) -> str:
    level = level.item() if isinstance(level, np.generic) else level
    shown = ", ".join(repr(v.item() if isinstance(v, np.generic) else v) for v in levels[:8])
    return (
        f"{where} holds the level {level!r} in row {row}, which training did not have "
        f"(its levels: {shown}); drop those rows, or give them a known level"
    )
