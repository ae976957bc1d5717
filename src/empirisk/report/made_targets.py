"""Reports on several targets in Python: ``er.report(frame, target=["y", "z"])``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from empirisk.data.frames import as_frame
from empirisk.report.atomic import report_folder
from empirisk.report.render.targets import render_index_html, render_index_markdown
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed

__all__ = ["Reports"]


class OneReport(Protocol):
    """What the list of several targets asks of the report of one."""

    @property
    def verdict(self) -> str:
        """What was found about the target, in one sentence."""

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the files of the report into a folder."""


R = TypeVar("R", bound=OneReport)


@dataclass(frozen=True, repr=False)
class Reports(Formed, Mapping[str, R], Generic[R]):
    """Reports on several targets of one table: a mapping from each target to its report, and the list of all.

    Parameters
    ----------
    json : dict
        What the list says of each target, with intervals that hold together over the targets.
    by_target : dict of str to Report
        The report of each target, whose intervals hold by themselves.
    seconds : float
        Wall time of all.
    """

    json: dict[str, Any]
    by_target: dict[str, R]
    seconds: float
    _estimated: Callable[[dict[str, Any] | None], Estimate | None] = field(default=lambda e: None)
    _like: Any = None

    def __getitem__(self, target: str) -> R:
        return self.by_target[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_target)

    def __len__(self) -> int:
        return len(self.by_target)

    @property
    def html(self) -> str:
        """The page that lists the targets; its links work in a saved folder."""
        return render_index_html(self.json)

    @property
    def markdown(self) -> str:
        """The list of the targets in Markdown, with links to their reports."""
        return render_index_markdown(self.json)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict of each target in a sentence, and how the intervals of the list hold together."""
        verdicts = [f"{target}: {report.verdict}" for target, report in self.by_target.items()]
        return (*verdicts, str(self.json["sentence"]))

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the list and a folder with the report of each target, all or none.

        Parameters
        ----------
        folder : str or path
            Made where it does not exist; earlier reports in it are replaced.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ValueError
            The folder holds other files, or cannot be written.
        """
        from empirisk.report.render.targets import write_index

        with report_folder(Path(folder)) as fresh:
            for row in self.json["targets"]:
                self.by_target[row["target"]].save(fresh / row["folder"])
            write_index(self.json, fresh)
        return Path(folder)

    def to_frame(self) -> Any:
        """Return the targets, one a row, as a pandas data frame (polars where the table was one)."""
        rows = self.json["targets"]
        scores = [row["headline"]["model"] for row in rows]
        return as_frame(
            {
                "target": [row["target"] for row in rows],
                "model": [row["model"] for row in rows],
                "metric": [row["headline"]["label"] for row in rows],
                "score": [e["value"] for e in scores],
                "low": [e["low"] for e in scores],
                "high": [e["high"] for e in scores],
            },
            self._like,
        )

    def _form(self) -> Form:
        rows = self.json["targets"]
        columns: dict[str, list[Any]] = {
            "target": [row["target"] for row in rows],
            "model": [row["model"] for row in rows],
            "metric": [row["headline"]["label"] for row in rows],
            "score": [self._estimated(row["headline"]["model"]) for row in rows],
        }
        return Form(f"Reports on {len(rows)} targets of {self.json['source']}", columns, self.sentences)

    def __repr__(self) -> str:
        return self._form().text()
