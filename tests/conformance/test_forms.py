"""Every result that a public function or a fitted estimator hands out has the one form of results."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data.tabular import Tabular
from empirisk.estimators import REGISTRY
from empirisk.estimators.clusters import REGISTRY as CLUSTERS
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.unsupervised import REGISTRY as OTHERS
from empirisk.results.form import Formed
from tests.conformance.estimators import Use, data_for
from tests.conformance.test_reprs import MORE, ONE_OF_EACH, results_of

UNSUPERVISED = {**CLUSTERS, **OTHERS, **FEATURES}
# Rooms whose classes are nouns that users choose or parts of a solve, and no answers.
MACHINERY = (
    "data", "distributions", "gaussian_processes", "hypotheses", "kernels", "losses", "mixtures",
    "optimizers", "penalties", "plots", "problems", "report", "samplers", "solvers",
    "trees.structure", "typing",
)  # fmt: skip
# What is no result although a function returns it, and why.
OTHERWISE = {
    "Capability": "one word of an enumeration",
    "Comparison": "the comparison of models has a form of its own",
    "Context": "what findings ask, not what they answer",
    "Index": "a noun of the registry of indices",
    "Kind": "one word of an enumeration",
    "Outcome": "one word of an enumeration",
    "Outputs": "arrays by row, for further functions",
    "Paired": "two numbers that a finding asks for",
    "Plot": "a picture",
    "Status": "one word of an enumeration",
}


def ours(annotation: Any) -> Iterator[type]:
    """The classes of the package inside a type."""
    if isinstance(annotation, type) and annotation.__module__.startswith("empirisk."):
        yield annotation
    for part in typing.get_args(annotation):
        yield from ours(part)


def known() -> dict[str, Any]:
    """Every class of the package by its name, for annotations that the type checker alone imports."""
    found: dict[str, Any] = {}
    for module in pkgutil.walk_packages(er.__path__, "empirisk."):
        if not module.name.endswith("__main__"):
            for name, thing in vars(importlib.import_module(module.name)).items():
                if isinstance(thing, type) and thing.__module__.startswith("empirisk"):
                    found.setdefault(name, thing)
    return found


def returned(function: Any, names: dict[str, Any]) -> list[type]:
    """The classes of the package that a function says it returns."""
    annotation = getattr(function, "__annotations__", {}).get("return")
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, {**names, **getattr(function, "__globals__", {})})
        except (NameError, TypeError):
            return []
    return list(ours(annotation))


def handed_out() -> dict[type, str]:
    """The classes that public functions and the methods of estimators return, with one place each."""
    names = known()
    functions = [(n, getattr(er, n)) for n in er.__all__]
    rooms = [(n, v) for n, v in functions if inspect.ismodule(v) and n not in MACHINERY]
    functions += [(f"{n}.{k}", getattr(v, k)) for n, v in rooms for k in getattr(v, "__all__", [])]
    for kind in REGISTRY.values():
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            if not name.startswith("_"):
                got = getattr(member, "fget", None) or getattr(member, "__func__", member)
                functions.append((f"{kind.__name__}.{name}", got))
    found: dict[type, str] = {}
    for where, thing in functions:
        if inspect.isfunction(thing):
            for kind in returned(thing, names):
                found.setdefault(kind, where)
    return found


def is_result(kind: type) -> bool:
    """Whether a class is an answer: no estimator, no noun of a registry, no tuple or enumeration."""
    room = kind.__module__.removeprefix("empirisk.")
    outside = any(room == m or room.startswith(f"{m}.") for m in MACHINERY)
    estimator = hasattr(kind, "get_params") or hasattr(kind, "fit")
    return not (outside or estimator or issubclass(kind, tuple) or kind.__name__ in OTHERWISE)


@pytest.mark.full  # imports every file of the package, which takes seconds
def test_every_class_of_results_has_the_form() -> None:
    found = {kind: where for kind, where in handed_out().items() if is_result(kind)}
    assert len(found) >= 60
    missing = [f"{k.__name__} ({w})" for k, w in found.items() if not issubclass(k, Formed)]
    assert not missing, f"give {', '.join(sorted(missing))} a form: the base Formed, Tabular or Brief"
    silent = [f"{k.__name__} ({w})" for k, w in found.items() if k.__repr__ is object.__repr__]
    assert not silent, f"{', '.join(silent)} print an address"
    tables = [k.__name__ for k in found if issubclass(k, Tabular) and not hasattr(k, "to_frame")]
    assert not tables


def assert_formed(thing: Formed, what: str) -> None:
    """Check that the HTML of a result is well-formed, short, and begins with a sentence."""
    html = thing._repr_html_()
    page = ET.fromstring(html)
    first = page.find("./p/strong")
    assert page[0].tag == "p", f"{what} does not begin with its sentence\n{html[:300]}"
    assert first is not None, f"{what} does not begin with its sentence\n{html[:300]}"
    assert len("".join(first.itertext())) > 3, f"{what} says nothing"
    text = "".join(page.itertext())
    assert "array(" not in text, f"{what} dumps an array\n{text[:500]}"
    assert " object at 0x" not in text, f"{what} prints an address\n{text[:500]}"
    assert len(text) < 6000, f"{what} has {len(text)} characters"
    lines = repr(thing).splitlines()
    assert len(lines) <= 60, f"{what} prints {len(lines)} lines"
    assert thing.to_markdown().startswith("**")
    assert "\\begin{tabular}" in thing.to_latex()
    if isinstance(thing, Tabular):
        columns = thing._columns()
        assert len({len(values) for values in columns.values()}) == 1, f"{what} has ragged columns"
        assert list(thing.to_frame().columns) == list(columns)


@pytest.mark.parametrize("kind", list(UNSUPERVISED))
def test_pages_of_models_without_targets_tell_the_size_of_the_table(
    kind: str, rng: np.random.Generator
) -> None:
    est = er.RandomProjection(2) if kind == "RandomProjection" else UNSUPERVISED[kind]()
    X = np.abs(rng.normal(size=(90, 4)))
    assert "Fitted on" not in est._repr_mimebundle_()["text/html"]
    est.fit((X > 0.7).astype(float) if kind == "Mixture" else X)
    assert "Fitted on 90 rows and 4 columns." in est._repr_mimebundle_()["text/html"].split("<style", 1)[0]


@pytest.mark.parametrize("u", [*ONE_OF_EACH, *MORE], ids=str)
def test_what_fits_leave_has_the_form(u: Use, rng: np.random.Generator) -> None:
    est = u.make()
    d = data_for(est, rng, n=120)
    est.fit(d.X, d.y)
    seen = [(what, thing) for what, thing in results_of(est) if isinstance(thing, Formed)]
    assert "solution_" in str([what for what, _ in seen])
    for what, thing in seen:
        assert_formed(thing, what)
    # What a notebook asks for, before anything is opened by a click.
    page = est._repr_mimebundle_()["text/html"]
    shown = page.split("<style", 1)[0]
    assert escape(est.solution_.certificate.claim) in shown
    assert f"Fitted on 120 rows and {est.n_features_in_:,} column" in shown
    if isinstance(getattr(est, "alpha_", None), float):
        assert "alpha = " in shown
