"""Whatever answers are made of, `verify` looks at: a number that is changed by a hundredth is found out.

The numbers are found by trying: those of the saved state (what pickles and model files hold) whose change
changes an answer about the rows of the fit.  Whoever keeps a copy of what was verified, in another form for
quick predictions, owes the check of the copy.
"""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.inference import Bands, CredibleIntervals
from tests.conformance.clusterers import groups
from tests.conformance.test_verify import CASES, NO_CLAIM, Case, certificate, confirmed
from tests.conformance.test_words_of_verify import USES

FACTOR = 1.01
ANSWERS = ("predict", "decision_function", "transform", "score_samples", "kneighbors", "latent", "outlier")
INTERVALS = ("prediction_interval", "credible_interval")
# Fits whose claim is true of the changed numbers, too; what contradicts it is tried by `test_verify.py`.
STILL_TRUE = {"Perceptron": "every multiple of a half-space that separates the rows makes no error"}


def rows_in_groups(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return rows in three groups, and no targets."""
    return groups(rng, 60, 80 if est.get_params().get("n_components") == "jl" else 3)[0], None


ALL = [*CASES, *(Case(repr(est), est, rows_in_groups, weighted=False) for est in USES)]


def numbers_of(value: Any) -> tuple[bytes, list[Any]]:
    """Return a pickle of a value without its floating-point numbers, and these: arrays, and single ones."""
    held: list[Any] = []

    class Pickler(pickle.Pickler):
        def persistent_id(self, thing: Any) -> int | None:
            array = isinstance(thing, np.ndarray) and thing.dtype.kind == "f" and np.any(thing)
            if not array and not (isinstance(thing, float) and thing and np.isfinite(thing)):
                return None
            held.append(thing)
            return len(held) - 1

    out = io.BytesIO()
    Pickler(out).dump(value)
    return out.getvalue(), held


def with_another(data: bytes, held: list[Any], which: int) -> Any:
    """Return the value of a pickle of :func:`numbers_of` with one of its numbers changed."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, at: Any) -> Any:
            return held[at] * FACTOR if at == which else held[at]

    return Unpickler(io.BytesIO(data)).load()


def variants(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of a fitted model, each with one number or array of its saved state changed, and where."""
    learned = vars(copy.copy(model))
    for name in sorted(learned.keys() - model.get_params(deep=False).keys()):
        try:
            data, held = numbers_of(learned[name])
        except (AttributeError, pickle.PicklingError):  # functions of a user
            continue
        for which in range(len(held)):
            other = copy.copy(model)
            vars(other)[name] = with_another(data, held, which)
            yield f"{name}, number {which} of {len(held)}", other


def answers(model: Any, X: Any) -> list[Any]:
    """Return all that a model says of rows, or of itself, without being told more than the rows."""
    out: list[Any] = []
    for name in dir(model):
        asked = name.startswith((*ANSWERS, *INTERVALS)) and not name.endswith("_")
        if not asked or not hasattr(model, name):  # SVC without probabilities has no predict_proba
            continue
        takes = inspect.signature(getattr(model, name)).parameters
        if {n for n, p in takes.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD} - {"X"}:
            continue
        for flags in ({}, *({n: True} for n in takes if n.startswith("return_"))):
            try:
                told = getattr(model, name)(**({"X": X} if "X" in takes else {}), **flags)
            except (ValueError, TypeError) as refused:
                told = str(refused)
            if isinstance(told, Bands | CredibleIntervals):
                told = (told.value, told.low, told.high)
            out += told if isinstance(told, tuple | list) else (told,)
    return [a.toarray() if hasattr(a, "toarray") else np.asarray(a) for a in out]


def alike(these: list[Any], those: list[Any]) -> bool:
    """Return whether answers are equal but for rounding."""

    def same(a: Any, b: Any) -> bool:
        if a.shape != b.shape:
            return False
        return bool(np.allclose(a, b, 1e-9, 1e-12, True) if a.dtype.kind == "f" else np.array_equal(a, b))

    return len(these) == len(those) and all(map(same, these, those))


@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_every_number_that_answers_are_made_of_is_verified(case: Case, rng: np.random.Generator) -> None:
    X, y, weight = case.rows(rng)
    model = clone(case.est).fit(X, *(() if y is None else (y,)), **weight)
    stated = certificate(model)
    try:
        whole = er.verify(model, X, y, **weight)
    except TypeError:  # claims nothing, as test_verify.py and test_words_of_verify.py see
        assert stated is None or stated.kind in NO_CLAIM
        return
    live = X[weight["sample_weight"] > 0.0] if weight else X
    tol = min(getattr(model, "tol", None) or 0.0, 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = answers(model, live)
        unseen = []
        for place, other in variants(model):
            if alike(said, answers(other, live)):
                continue
            again = er.verify(other, X, y, **weight)
            # Another distance from the optimum than that of the fit is the honest answer about other numbers.
            if confirmed(again, stated, tol) and abs(again.value - whole.value) <= 1e-6 * abs(whole.value):
                unseen.append(place)
    if type(model).__name__ in STILL_TRUE and whole.value == 0.0:
        assert unseen
        return
    assert not unseen, f"verify of {type(model).__name__} does not look at {unseen}"
