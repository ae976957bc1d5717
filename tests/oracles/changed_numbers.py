"""Fitted models with one public number changed, of which a recomputed certificate must not be confirmed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import empirisk as er
from empirisk.results import Kind

__all__ = ["confirmed_changes"]

# Attributes that the training rows alone do not decide, with the reason.
EXCUSED = {
    "n_iter_": "steps that a solver took",
    "n_steps_": "batches that were taken",
    "n_features_in_": "the rows are refused by their shape when it is another",
    "objectives_": "where other starts ended",
    "given_up_": "which other starts were given up",
    "starts_": "where other starts ended",
    "next_eigenvalue_": "a bound of what was not computed",
    "n_clusters_resampled_": "random parts of the rows",
    "n_clusters_interval_": "random parts of the rows",
}


def changes(value: Any) -> Iterator[Any]:
    """Yield other numbers in the place of an attribute: half as large again, moved, one flipped, reversed."""
    if sp.issparse(value):
        yield value * 1.5
        return
    given = np.asarray(value)
    whole = given.dtype.kind in "iu"
    scalar = given.ndim == 0
    if not given.size:
        return
    yield type(value)(value + 1) if scalar and whole else value * 1.5
    yield value + 1 if whole else value + 0.5
    if scalar:
        return
    yield given[::-1].copy()
    flipped = given.copy()
    flipped.flat[0] = given.max() if given.flat[0] != given.max() else given.min()
    yield flipped


def confirmed_changes(model: Any, X: Any) -> list[str]:
    """Return which changes of public numbers `er.verify` confirms, within 1e-4, on the rows of the fit."""
    assert er.verify(model, X, None).kind is model.certificate_.kind
    out = []
    for name, value in vars(model).items():
        number = sp.issparse(value) or (
            not isinstance(value, bool) and np.asarray(value).dtype.kind in "iuf" and value is not None
        )
        if not name.endswith("_") or name.startswith("_") or name in EXCUSED or not number:
            continue
        for changed in changes(value):
            dense = [v.toarray() if sp.issparse(v) else np.asarray(v, dtype=float) for v in (value, changed)]
            if np.allclose(*dense, rtol=1e-5, atol=1e-6):
                continue
            other = copy.copy(model)
            vars(other)[name] = changed
            found = er.verify(other, X, None)
            if found.kind is not Kind.NONE and found.within(1e-4):
                out.append(f"{name}: {found.claim}")
    return out
