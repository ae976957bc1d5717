"""Rows that pass without scikit-learn: the same arrays, attributes, warnings and errors as with it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from empirisk.data.validated import validated

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
NUMBERS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])


class Model(BaseEstimator):
    """An estimator without parameters, for what a fit learns of its columns."""


def _tables() -> dict[str, Any]:
    read_only = NUMBERS.copy()
    read_only.flags.writeable = False
    return {
        "float64": NUMBERS.copy(),
        "float32": NUMBERS.astype(np.float32),
        "float16": NUMBERS.astype(np.float16),
        "long double": NUMBERS.astype(np.longdouble),
        "integers": NUMBERS.astype(np.int64),
        "flags": NUMBERS > 2.0,
        "complex": NUMBERS + 1j,
        "by columns": np.asfortranarray(NUMBERS),
        "strided": np.repeat(NUMBERS, 2, axis=1)[:, ::2],
        "read only": read_only,
        "swapped bytes": NUMBERS.astype(NUMBERS.dtype.newbyteorder()),
        "NaN": np.where(NUMBERS == 4.0, np.nan, NUMBERS),
        "infinity": np.where(NUMBERS == 4.0, np.inf, NUMBERS),
        "sum overflows": np.where(NUMBERS == 4.0, 1.7e308, np.where(NUMBERS == 5.0, 1.7e308, NUMBERS)),
        "no rows": NUMBERS[:0],
        "no columns": NUMBERS[:, :0],
        "one dimension": NUMBERS[0],
        "three dimensions": NUMBERS[None],
        "subclass": np.ma.masked_array(NUMBERS),
        "matrix": np.matrix(NUMBERS),
        "objects": NUMBERS.astype(object),
        "text": NUMBERS.astype(str),
        "list": NUMBERS.tolist(),
        "sparse": sp.csr_array(NUMBERS),
        "frame": pd.DataFrame(NUMBERS, columns=["a", "b", "c"]),
    }


TARGETS: dict[str, Any] = {
    "floats": np.array([0.5, 1.5]),
    "integers": np.array([0, 1]),
    "flags": np.array([True, False]),
    "text": np.array(["a", "b"]),
    "objects": np.array([1.5, 2.5], dtype=object),
    "NaN": np.array([1.0, np.nan]),
    "overflows": np.array([1.7e308, 1.7e308]),
    "complex": np.array([1.0, 2.0j]),
    "column": np.array([[0.5], [1.5]]),
    "two": np.array([[0.5, 1.0], [1.5, 2.0]]),
    "no target": np.empty((2, 0)),
    "too long": np.arange(3.0),
    "number": np.array(1.0),
    "missing": None,
    "list": [0.5, 1.5],
}
OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "linear": {
        "accept_sparse": ["csr", "csc"],
        "dtype": [np.float64, np.float32],
        "order": None,
        "ensure_all_finite": False,
    },
    "by rows": {"dtype": [np.float64, np.float32], "order": "C", "ensure_all_finite": False},
    "one type": {"dtype": np.float64, "ensure_all_finite": False},
    "any type": {"dtype": None, "ensure_all_finite": "allow-nan"},
    "three rows": {"ensure_min_samples": 3},
    "two columns": {"ensure_min_features": 2},
}


def _known(model: Any) -> dict[str, Any]:
    """Return what a model has learned, as lists and numbers."""
    return {name: np.asarray(value).tolist() for name, value in vars(model).items()}


def _same(made: Any, given: Any) -> bool:
    """Return whether these are the same cells in memory, a view of them included."""
    return made is given or (isinstance(made, np.ndarray) and np.shares_memory(made, given))


def _told(check: Any, model: Any, X: Any, *y: Any, **options: Any) -> tuple[Any, ...]:
    """Return what comes out, whether it is what went in, what the model knows, warnings, or the error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            out = check(model, X, *y, **options)
        except (TypeError, ValueError) as e:
            return type(e), str(e), _known(model)
    found, given = (out, (X, *y)) if y else ((out,), (X,))
    facts = [
        (type(a), getattr(a, "dtype", None), getattr(a, "flags", None) and a.flags.c_contiguous)
        for a in found
    ]
    values = [a.toarray().tolist() if sp.issparse(a) else np.asarray(a).astype(str).tolist() for a in found]
    return (
        facts,
        values,
        [_same(a, b) for a, b in zip(found, given, strict=True)],
        _known(model),
        [str(w.message) for w in heard],
    )


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("table", _tables())
def test_rows_pass_as_in_scikit_learn(table: str, options: str) -> None:
    """Every kind of table has the outcome that scikit-learn alone gives, in a fit and after one."""
    X, given = _tables()[table], OPTIONS[options]
    for reset in (True, False):
        for known in (
            {},
            {"n_features_in_": 3},
            {"n_features_in_": 2},
            {"feature_names_in_": np.array(["a"] * 3)},
        ):
            ours, theirs = Model(), Model()
            vars(ours).update(known)
            vars(theirs).update(known)
            assert _told(validated, ours, X, reset=reset, **given) == _told(
                validate_data, theirs, X, reset=reset, **given
            )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "more", [{}, {"y_numeric": True}, {"y_numeric": True, "multi_output": True}, {"multi_output": True}]
)
def test_targets_pass_as_in_scikit_learn(target: str, more: dict[str, Any]) -> None:
    """Every kind of target has the outcome that scikit-learn alone gives."""
    given = {**OPTIONS["linear"], **more}
    for table in ("float64", "float32", "list"):
        X, y = _tables()[table], TARGETS[target]
        ours = _told(validated, Model(), X, y, reset=True, **given)
        assert ours == _told(validate_data, Model(), X, y, reset=True, **given)


def test_plain_rows_do_not_go_through_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short way is taken: without it the comparison above would compare scikit-learn with itself."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("scikit-learn was asked")

    monkeypatch.setattr("empirisk.data.validated.validate_data", refuse)
    for options in OPTIONS.values():
        if "ensure_min_samples" not in options and "ensure_min_features" not in options:
            X, y = validated(Model(), NUMBERS, TARGETS["floats"], reset=True, **options)
            assert X is NUMBERS
            assert y is TARGETS["floats"]
