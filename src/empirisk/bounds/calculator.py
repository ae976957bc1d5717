"""Theorems by name, with their parameters as text: what the command line asks for."""

from __future__ import annotations

import difflib
import importlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from empirisk.bounds.base import Guarantee

__all__ = ["evaluate_bound", "list_bounds", "whole_number"]

Registry = Mapping[str, Callable[..., Any]]


def solvable(registry: Registry) -> dict[str, Callable[..., Guarantee]]:
    """Return the theorems that relate n and epsilon (and delta, unless they are about an expectation)."""
    return {
        name: f for name, f in registry.items() if {"n", "epsilon"} <= set(inspect.signature(f).parameters)
    }


def list_bounds(registry: Registry | None = None) -> list[str]:
    """Return a line or two for each theorem: its name, options and formula.

    Parameters
    ----------
    registry : mapping of str to callable, optional
        The theorems to list; ``er.bounds.REGISTRY`` by default.

    Returns
    -------
    list of str

    Examples
    --------
    >>> list_bounds()[0]
    'hoeffding  [--low --high --sides --candidates]'
    """
    if registry is None:
        registry = importlib.import_module("empirisk.bounds").REGISTRY
    lines = []
    for name, theorem in solvable(registry).items():
        options = " ".join(_flag(p) if not q else f"{_flag(p)}!" for p, (_, q) in _options(theorem).items())
        formula = (inspect.getdoc(theorem) or "").splitlines()[0].replace("``", "")
        lines += [
            textwrap.fill(f"{name}  [{options}]", 80, subsequent_indent=" " * 8, break_on_hyphens=False),
            textwrap.fill(formula, 80, initial_indent=" " * 4, subsequent_indent=" " * 8),
        ]
    return lines


def evaluate_bound(registry: Registry, name: str, options: Sequence[str], **given: Any) -> Guarantee:
    """Return a theorem by name, with options written as on a command line.

    Parameters
    ----------
    registry : mapping of str to callable
        Such as ``er.bounds.REGISTRY``.
    name : str
        The theorem.
    options : sequence of str
        Such as ``["--vc", "11"]`` or ``["--vc=11"]``; flags take no value.
    **given : number or None
        n, epsilon and delta, exactly two of them.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When the theorem or an option is unknown, a value is no number, or a needed option is missing.

    Examples
    --------
    >>> from empirisk.bounds import REGISTRY
    >>> evaluate_bound(REGISTRY, "finite_realizable", ["--hypotheses", "59049"], epsilon=0.1, delta=0.05).n
    140
    """
    known = solvable(registry)
    if name not in known:
        if name in registry:
            raise ValueError(
                f"{name} takes rows of data, or solves for nothing: call er.bounds.{name} from Python"
            )
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? --list shows them all" if near else "--list shows them all"
        raise ValueError(f"there is no theorem {name!r}: {hint}")
    theorem = known[name]
    if "delta" not in inspect.signature(theorem).parameters and given.pop("delta", None) is not None:
        raise ValueError(f"{name} is about an expectation: it has no delta, give n or epsilon")
    takes = _options(theorem)
    values = _parse(name, list(options), takes)
    missing = [_flag(p) for p, (_, needed) in takes.items() if needed and p not in values]
    if missing:
        raise ValueError(f"{name} needs {' and '.join(missing)}")
    return theorem(**given, **values)


def _flag(parameter: str) -> str:
    """Return the name that a parameter has on the command line."""
    return "--" + parameter.replace("_", "-")


def _options(theorem: Callable[..., Any]) -> dict[str, tuple[str, bool]]:
    """Return the parameters that a command line can give: their type, and whether they are needed."""
    out = {}
    for p in inspect.signature(theorem).parameters.values():
        kind = str(p.annotation).replace(" | None", "")
        if p.name not in ("n", "epsilon", "delta") and kind in ("int", "float", "bool", "str"):
            out[p.name] = (kind, p.default is inspect.Parameter.empty)
    return out


def _parse(name: str, words: list[str], takes: Mapping[str, tuple[str, bool]]) -> dict[str, Any]:
    """Return the words of the command line as keyword arguments of the theorem, or say which of them is
    wrong.
    """
    values: dict[str, Any] = {}
    while words:
        flag, equals, text = words.pop(0).partition("=")
        parameter = flag.removeprefix("--").replace("-", "_")
        if not flag.startswith("--") or parameter not in takes:
            options = ", ".join(map(_flag, takes)) or "no other"
            raise ValueError(f"{name} has no option {flag}; beside --n, --epsilon, --delta it has {options}")
        kind = takes[parameter][0]
        if kind == "bool":
            values[parameter] = True
            continue
        if not equals:
            if not words:
                raise ValueError(f"{flag} needs a value: write {flag}=VALUE")
            text = words.pop(0)
        values[parameter] = text if kind == "str" else _number(flag, text, whole=kind == "int")
    return values


def _number(flag: str, text: str, *, whole: bool) -> int | float:
    """Return a number as written: 59049, 1e6, 2^32 or 3**10."""
    base, power, exponent = text.replace("**", "^").partition("^")
    try:
        if power:
            if not 0 <= int(exponent) <= 10**6:
                raise ValueError
            return int(int(base) ** int(exponent))
        return _exact(text) if whole else float(text)
    except (ValueError, ArithmeticError):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{flag} must be {kind}, got {text!r}") from None


def _exact(text: str) -> int:
    """Return a whole number as written, with every digit: 1e30 is no float."""
    value = Decimal(text)
    if not value.is_finite() or value.adjusted() > 10**6 or value != value.to_integral_value():
        raise ValueError
    return int(value)


def whole_number(text: str) -> int:
    """Return a whole number as written on a command line: 59049, 1e6, 2^32 or 3**10.

    Examples
    --------
    >>> whole_number("1e6"), whole_number("3^10")
    (1000000, 59049)
    """
    return int(_number("it", text, whole=True))
