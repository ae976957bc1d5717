"""What users fit stands on one base: parameters that are misspelt are refused by name in all of them."""

from __future__ import annotations

import inspect
from typing import Any

import empirisk as er
from empirisk.estimators.estimator import Estimator
from empirisk.hypotheses.base import HypothesisClass


def public_classes() -> dict[str, Any]:
    """Return every public class that is fitted and has parameters, by its public name."""
    found = {}
    for name in er.__all__:
        thing = getattr(er, name)
        inside = getattr(thing, "__all__", []) if inspect.ismodule(thing) else []
        for noun, c in [(name, thing), *((f"{name}.{n}", getattr(thing, n)) for n in inside)]:
            if inspect.isclass(c) and hasattr(c, "fit") and hasattr(c, "get_params"):
                found[noun] = c
    return found


def test_what_is_fitted_stands_on_one_base() -> None:
    # Classes of functions lie in a layer below the estimators, and cannot import their base.
    found = public_classes()
    assert len(found) > 40
    alone = [name for name, c in found.items() if not issubclass(c, Estimator | HypothesisClass)]
    assert not alone, f"let these inherit from Estimator of empirisk.estimators.estimator: {alone}"
