"""Public modules: what tab completion shows are their nouns, each object stands in one place, and what the
pages name exists."""

from __future__ import annotations

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

import empirisk as er
from tests.oracles.structure import PACKAGE, ROOT

MODULES = {name: thing for name in er.__all__ if isinstance(thing := getattr(er, name), ModuleType)}
# Modules that a public module lists among its nouns, such as er.selection.intervals.
INNER = {
    f"{name}.{noun}": thing
    for name, module in MODULES.items()
    for noun in module.__all__
    if isinstance(thing := getattr(module, noun), ModuleType)
}


@pytest.mark.parametrize("name", MODULES | INNER)
def test_tab_completion_shows_the_nouns_alone(name: str) -> None:
    module = (MODULES | INNER)[name]
    assert dir(module) == sorted(module.__all__), (
        f"add `def __dir__() -> list[str]: return sorted(__all__)` to empirisk.{name}"
    )
    for noun in dir(module):
        thing = getattr(module, noun)
        assert not noun.startswith("_"), f"er.{name}.{noun} is private and shown"
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__module__.startswith("empirisk"), f"er.{name}.{noun} is imported from elsewhere"


def test_the_package_shows_its_public_names() -> None:
    assert set(dir(er)) == set(er.__all__)


def test_every_object_stands_in_one_public_module() -> None:
    places: dict[int, list[str]] = {}
    for name, module in MODULES.items():
        for noun in module.__all__:
            thing = getattr(module, noun)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                places.setdefault(id(thing), []).append(f"er.{name}.{noun}")
    twice = [found for found in places.values() if len(found) > 1]
    assert not twice, f"exported more than once: {twice}"


def test_flat_names_are_those_of_their_modules() -> None:
    # A shortcut has the name that the object has in its module.
    nouns = {id(getattr(m, noun)): noun for m in MODULES.values() for noun in m.__all__}
    for name in er.__all__:
        thing = getattr(er, name)
        assert nouns.get(id(thing), name) == name


def pages() -> list[str]:
    """Return the texts that users read: the README and the pages of the docs."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    return [str(p.relative_to(ROOT)) for p in found if "skeletons" not in p.parts]


def resolve(dotted: str) -> Any:
    """What a dotted name of the package leads to, imported where it is a module."""
    thing: Any = importlib.import_module("empirisk")
    at = "empirisk"
    for part in dotted.split(".")[1:]:
        at = f"{at}.{part}"
        try:
            thing = getattr(thing, part)
        except AttributeError:
            if not isinstance(thing, ModuleType):
                raise
            thing = importlib.import_module(at)
    return thing


def named_in_vain(text: str, imports: bool = True) -> list[str]:
    """The dotted names in a text that lead nowhere."""
    named = {f"empirisk{m}" for m in re.findall(r"\ber((?:\.[A-Za-z_]\w*)+)", text)}
    for module, names in re.findall(r"from (empirisk[\w.]*) import ([\w, ]+)", text) if imports else ():
        named |= {f"{module}.{n.strip().split(' as ')[0]}" for n in names.split(",") if n.strip()}
    wrong = []
    for dotted in sorted(named):
        try:
            resolve(dotted)
        except (AttributeError, ImportError):
            wrong.append(dotted)
    return wrong


@pytest.mark.parametrize("page", pages())
def test_names_in_the_pages_exist(page: str) -> None:
    wrong = named_in_vain((ROOT / page).read_text(encoding="utf-8"))
    assert not wrong, f"{page} names what does not exist: {wrong}"


def test_names_in_docstrings_and_messages_exist() -> None:
    wrong = {
        str(f.relative_to(ROOT)): found
        for f in sorted(PACKAGE.rglob("*.py"))
        if (found := named_in_vain(f.read_text(encoding="utf-8"), imports=False))
    }
    assert not wrong, f"source files name what does not exist: {wrong}"
