"""What a section of the report is: its keys of ``report.json``, how they are collected, worded and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from empirisk.plots.display import Display
from empirisk.report.fit.engine import Analysis
from empirisk.report.read.named_units import unit_in_name
from empirisk.report.sections.methods import Pairs
from empirisk.report.shapes.checkers import Check

__all__ = ["Chart", "Collected", "Form", "Material", "Section"]

T = TypeVar("T")
Json = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A picture of a section, not drawn yet.

    Parameters
    ----------
    key : str
        Its name on the page.
    what : str
        What it shows, in the words of a sentence.
    make : callable
        What makes the Display.
    source : dict or None
        The numbers that the note below the picture is about.
    place : str
        The place of the page that it shares with others; its own key by default.
    """

    key: str
    what: str
    make: Callable[[], Display]
    source: Json | None = None
    place: str = ""


def _nothing(report: Json) -> Iterator[Chart]:
    """Return a section without charts yields none."""
    return iter(())


def _no_names(report: Json) -> Json:
    """Return a section without names of its own adds none."""
    return {}


@dataclass(frozen=True)
class Section:
    """One section of the report: everything that is special to it stands here and nowhere else.

    Parameters
    ----------
    name : str
        Its address on the page.
    heading : str
        Its heading on the page and in the Markdown.
    fields : mapping of str to Check
        Its keys of ``report.json``, in their order, and what each must look like.
    collect : callable
        Makes the values of these keys from the :class:`Collected` of its form, such as :class:`Material`.
    markdown : callable
        Makes its lines of Markdown from the whole report.
    template : str
        The file beside it that makes its part of the page.
    optional : mapping of str to Check
        Keys that a report may lack.
    cross : callable, optional
        Checks, on the whole report, what concerns several keys.
    charts : callable
        Yields its pictures from the whole report.
    estimates : callable
        Labelled estimates of each of its tables, for the notes on how intervals were made.
    names : callable
        What its template may use beside the report, by name.
    parts : mapping of str to str
        Keys that may fail without taking the report with them, in the words of a sentence.
    long : frozenset of str
        Those of its parts that are not begun when no time is left.
    needs : tuple of str
        Names of the sections whose keys it is made from; they are collected before it.

    Examples
    --------
    >>> from empirisk.report.sections.registry import SECTIONS
    >>> [section.name for section in SECTIONS][:4]
    ['verdict', 'test', 'candidates', 'model']
    """

    name: str
    heading: str
    fields: Mapping[str, Check]
    collect: Callable[[Any], Json]
    markdown: Callable[[Json], list[str]]
    template: str
    optional: Mapping[str, Check] = field(default_factory=dict)
    cross: Callable[[Json], None] | None = None
    charts: Callable[[Json], Iterator[Chart]] = _nothing
    estimates: Callable[[Json], dict[str, Pairs]] = _no_names
    names: Callable[[Json], Json] = _no_names
    parts: Mapping[str, str] = field(default_factory=dict)
    long: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()

    def check(self, value: Any, path: str) -> None:
        """Check the value of one of its keys, given in dotted form, as the schema of the report would."""
        first, *rest = path.split(".")
        check: Any = self.fields[first]
        for key in rest:
            check = check.fields[key]
        check(value, path)


@dataclass(frozen=True)
class Form:
    """A kind of report: the name of its schema, what its page is called, and its sections in their order.

    Parameters
    ----------
    schema : str
        What ``report["schema"]`` says.
    title : str
        The first words of the page.
    sections : tuple of Section
    material : callable
        Makes what its sections are collected from: the class that its ``collect`` functions take.
    """

    schema: str
    title: str
    sections: tuple[Section, ...]
    material: Callable[..., Collected]


@dataclass(frozen=True)
class Collected:
    """What a section is collected from, whatever the report is about.

    Parameters
    ----------
    analysis : object
        Everything that was computed; its ``guard`` makes the parts that may fail.
    section : Section
        The one that is being collected.
    made : dict
        The keys of the sections that were collected before.
    absent : dict
        Told, by dotted key, why a key is null.
    command : str
        The command line, without folders.
    seconds : float
        Wall time.
    settings : dict
        Settings that do not depend on the machine.
    """

    analysis: Any
    section: Section
    made: Json
    absent: dict[str, str]
    command: str
    seconds: float
    settings: Json

    def attempt(self, key: str, make: Callable[[], T]) -> T | None:
        """Return what `make` returns; None where it fails or is too slow, and the report says so at the
        key.
        """
        section = self.section
        found: T | None = self.analysis.guard(key, make, section.parts[key], long=key in section.long)
        return found

    def part(self, key: str, make: Callable[[], T]) -> T | None:
        """Return the same for the value of a key, which must follow the schema, and whose stage may have
        failed.
        """
        guard = self.analysis.guard
        if key in guard.failed or key in guard.late:
            return None

        def checked() -> T:
            made = make()
            self.section.check(made, key)
            return made

        return self.attempt(key, checked)


@dataclass(frozen=True)
class Material(Collected):
    """What a section about a model is collected from: its `analysis` is an :class:`Analysis`."""

    analysis: Analysis

    @property
    def unit(self) -> str | None:
        """The unit of a regression target, as the file wrote it: in the cells, or at the end of its name."""
        table = self.analysis.prepared.table
        if table.task != "regression":
            return None
        return table.column(str(table.target)).unit or unit_in_name(str(table.target)) or None

    @property
    def tuned(self) -> str:
        """The name of the loss that models are tuned by."""
        return self.analysis.scoring.metric.name
