"""Docstrings of twins: what one class says of its parameters, the other repeats by reference.

A block such as ::

    fit_intercept, positive, solver
        As in :class:`Ridge`.

is what an editor shows; at run time :func:`documented` puts Ridge's own words there, one block a name, so
that ``help()``, ``?`` and numpydoc show every parameter in full.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

__all__ = ["documented"]

Class = TypeVar("Class", bound=type)

# A numpydoc section that describes names: its heading, underline and body.
SECTION = re.compile(r"^(Parameters|Attributes)\n-+\n((?:.*\n)*?)(?=\n\S[^\n]*\n-+\n|\Z)", re.MULTILINE)
REFERENCE = re.compile(r"As in :class:`(\w+)`\.")


def documented(*twins: type) -> Callable[[Class], Class]:
    """Write the words of `twins` into the docstring of a class, where it refers to them.

    Parameters
    ----------
    *twins : type
        Classes that the docstring names by ``As in :class:`Name`.``, with docstrings of their own.

    Returns
    -------
    callable
        A decorator; the class stays the same object.

    Raises
    ------
    ValueError
        When the docstring refers to what a twin does not describe.

    Examples
    --------
    >>> class Plain:
    ...     '''Plain.
    ...
    ...     Parameters
    ...     ----------
    ...     level, width : float
    ...         A number.
    ...     '''
    >>> @documented(Plain)
    ... class Fancy:
    ...     '''Fancy.
    ...
    ...     Parameters
    ...     ----------
    ...     level
    ...         As in :class:`Plain`.
    ...     '''
    >>> print(Fancy.__doc__)
    Fancy.
    <BLANKLINE>
    Parameters
    ----------
    level : float
        A number.
    """
    named = {twin.__name__: twin for twin in twins}

    def write(cls: Class) -> Class:
        if cls.__doc__ is not None:  # python -OO takes docstrings away
            doc = inspect.cleandoc(cls.__doc__) + "\n"
            cls.__doc__ = SECTION.sub(lambda found: _expanded(found, cls, named), doc).rstrip("\n")
        return cls

    return write


def _expanded(found: re.Match[str], cls: type, named: dict[str, type]) -> str:
    """A section with its references replaced by what they refer to."""
    heading, body = found.group(1), found.group(2)
    out = []
    for head, text in _blocks(body):
        reference = REFERENCE.fullmatch(text.strip())
        if reference is None or reference.group(1) not in named:
            out.append(f"{head}\n{text}" if text else head)
        else:
            out.extend(_words(_names(head), heading, named[reference.group(1)], cls))
    rule = "-" * len(heading)
    return "\n".join([heading, rule, *out]) + "\n"


def _words(names: list[str], heading: str, twin: type, cls: type) -> Iterator[str]:
    """The blocks of `names` as the twin has them; neighbours that share a block keep sharing it."""
    sections = {m.group(1): m.group(2) for m in SECTION.finditer(inspect.cleandoc(twin.__doc__ or "") + "\n")}
    known = {name: block for block in _blocks(sections.get(heading, "")) for name in _names(block[0])}
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(
            f"the docstring of {cls.__name__} refers to {', '.join(missing)} of {twin.__name__}, whose "
            f"section {heading} does not describe it"
        )
    done: list[tuple[str, str]] = []
    for name in names:
        head, text = block = known[name]
        if block in done:
            continue
        done.append(block)
        kind = head.partition(" : ")[2]
        here = ", ".join(other for other in names if known[other] is block)
        yield "\n".join(part for part in (f"{here} : {kind}" if kind else here, text) if part)


def _blocks(body: str) -> Iterator[tuple[str, str]]:
    """Head line and indented text of each description."""
    head, lines = "", list[str]()
    for line in body.splitlines():
        if line and not line[0].isspace():
            if head:
                yield head, "\n".join(lines).rstrip()
            head, lines = line, []
        else:
            lines.append(line)
    if head:
        yield head, "\n".join(lines).rstrip()


def _names(head: str) -> list[str]:
    return [name.strip() for name in head.partition(" : ")[0].split(",")]
