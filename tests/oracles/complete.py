"""Sentences for what a new noun still lacks: "add ... to ...", and for what is left over: "take ... out"."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

__all__ = ["complete", "page_of"]


def complete(found: Collection[str], wanted: Collection[str], what: str, where: str) -> None:
    """Fail unless `found` names each of `wanted` and nothing else, with what is to be done and where.

    Parameters
    ----------
    found, wanted : collections of str
        Names that there are, and those that a registry asks for.
    what : str
        One entry in words: "a sample", "a chart".
    where : str
        The list, dictionary or folder, with its file.
    """
    lacking, left = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    said = [f"add {what} of {name!r} to {where}" for name in lacking]
    said += [f"take {what} of {name!r} out of {where}: no registry has it" for name in left]
    assert not said, "\n".join(said)


def page_of(folder: Path, name: str, copy: str = "a neighbour") -> str:
    """The text of a page of the documentation, or a sentence that asks for it."""
    file = folder / f"{name}.md"
    assert file.exists(), (
        f"add the page {name}.md to {'/'.join(folder.parts[folder.parts.index('docs') :])}/ (copy {copy})"
    )
    return file.read_text(encoding="utf-8")
