"""Candidates of a search that differ in one parameter whose values their model fits together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
from sklearn.base import clone

from empirisk.evaluation.parts import parts_of, together
from empirisk.search.points import Params


@dataclass(frozen=True)
class Bundle:
    """Candidates that are fitted together on each split.

    Parameters
    ----------
    members : tuple of int
        Positions of the candidates.
    parameter : str
        Name of the parameter that varies; empty for a candidate by itself.
    """

    members: tuple[int, ...]
    parameter: str = ""


def bundles(est: Any, points: Sequence[Params], members: Sequence[int]) -> list[Bundle]:
    """Group candidates by everything but a parameter whose values the model fits together."""
    groups: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for i in members:
        name = _shared_name(est, points[i])
        key = f"alone {i}"
        if name:
            rest = {k: v for k, v in points[i].items() if k != name}
            try:
                key = f"{name} {joblib.hash(rest)}"
            except Exception:  # what cannot be hashed is fitted by itself
                name = ""
        groups.setdefault(key, []).append(i)
        names[key] = name
    return [Bundle(tuple(g), names[key] if len(g) > 1 else "") for key, g in groups.items()]


def _shared_name(est: Any, point: Params) -> str:
    """Return the parameter whose values the model of a candidate fits together; "" for none."""
    try:
        model = clone(est).set_params(**clone(point, safe=False))
    except Exception:  # the fit itself will say what is wrong with these parameters
        return ""
    return next((name for name in point if together(parts_of(model, name), [point[name]])), "")
