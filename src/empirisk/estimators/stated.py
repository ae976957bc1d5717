"""Numbers that a fitted model states, compared with the same numbers computed again from the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from empirisk.data.sparse_cells import is_sparse
from empirisk.results import Certificate, unconfirmed

__all__ = ["disputed", "misnumbered"]


def disputed(
    model: Any, found: Mapping[str, Any], *, tol: float = 1e-8, slack: Mapping[str, Any] | None = None
) -> Certificate | None:
    """Return why attributes are not what was found again, or None where they all are.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    found : dict of number, array, sparse matrix, or sequence or dict of such
        What the rows say, by the name of the attribute.  Whole numbers must be equal.
    tol : float, default 1e-8
        Difference that is rounding, as a share of the largest number of the attribute.
    slack : dict of float or array, optional
        Further differences that are rounding, by the name of the attribute.

    Returns
    -------
    Certificate or None
        Of kind NONE, with the name and both numbers of the first that differs.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> disputed(SimpleNamespace(inertia_=66.1), {"inertia_": 132.2})
    Certificate(NONE, inf of 1)  # none: not confirmed: inertia_ is 132.2 for these rows, not 66.1
    """
    for name, again in found.items():
        for part, stated, one in _parts(name, getattr(model, name, None), again):
            why = _difference(stated, one, tol, (slack or {}).get(name, 0.0))
            if why:
                return unconfirmed(f"{part} {why}")
    return None


def misnumbered(model: Any, name: str, count: int, *, low: int = 0) -> Certificate | None:
    """Return why an attribute does not hold whole numbers from `low` to ``count - 1``, or None where it does.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> misnumbered(SimpleNamespace(labels_=np.array([0, 1, 7])), "labels_", 2)
    Certificate(NONE, inf of 1)  # none: not confirmed: labels_[2] is 7, and numbers from 0 to 1 were expected
    """
    given = np.asarray(getattr(model, name))
    if given.dtype.kind not in "iu":
        return unconfirmed(f"{name} holds numbers that are not whole")
    wrong = np.flatnonzero((given < low) | (given >= count))
    if len(wrong):
        at = int(wrong[0])
        return unconfirmed(
            f"{name}[{at}] is {given.flat[at]}, and numbers from {low} to {count - 1} were expected"
        )
    return None


def _parts(name: str, stated: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the names of the numbers and arrays inside an attribute, as stated and as found."""
    if isinstance(found, Mapping):
        inner: Any = found.items()
    elif isinstance(found, (tuple, list)):
        inner = enumerate(found)
    else:
        yield name, stated, found
        return
    for at, one in inner:
        held = isinstance(stated, Mapping) and at in stated
        held = held or (isinstance(stated, (tuple, list)) and at in range(len(stated)))
        yield from _parts(f"{name}[{at!r}]", stated[at] if held else None, one)


def _difference(stated: Any, found: Any, tol: float, slack: Any) -> str:
    """Return in words how a stated value differs from the one that was found."""
    if (stated is None) != (found is None):
        return f"is {_brief(found)} for these rows, not {_brief(stated)}"
    if found is None:
        return ""
    if np.shape(found) != np.shape(stated):
        return f"has the shape {np.shape(found)} for these rows, not {np.shape(stated)}"
    if is_sparse(found) or is_sparse(stated):
        far = float(abs(found - stated).max())
        return "" if far <= tol * float(abs(found).max()) else f"is off by {far:.3g} for these rows"
    a, b = np.asarray(stated), np.asarray(found)
    if b.dtype.kind in "iub":
        wrong = np.atleast_1d(a != b)
    else:
        size = float(np.abs(b).max(initial=0.0))
        with np.errstate(invalid="ignore"):
            wrong = np.atleast_1d(~(np.abs(a - b) <= tol * size + slack))
    if not wrong.any():
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(wrong))
    if a.ndim == 0:
        return f"is {_brief(b)} for these rows, not {_brief(a)}"
    first = f"[{', '.join(map(str, at))}] is {_brief(b[at])} for these rows, not {_brief(a[at])}"
    return f"differs in {int(wrong.sum())} of {wrong.size} places: {first}"


def _brief(value: Any) -> str:
    return "None" if value is None else f"{float(value):.6g}"
