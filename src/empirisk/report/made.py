"""The report in Python: ``er.report(frame, target="y")`` is what ``empirisk report`` makes, in memory."""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, overload

import polars as pl

from empirisk.data.deadline import Deadline
from empirisk.data.frames import as_frame
from empirisk.data.progress import Progress, teller
from empirisk.report.atomic import report_folder
from empirisk.report.errors import DataError, column_name
from empirisk.report.made_targets import Reports
from empirisk.report.options import Options
from empirisk.report.progress import Told
from empirisk.report.read.frames import is_frame
from empirisk.report.run import Outcome, closing_lines, run_report
from empirisk.report.saved.model_file import ModelFile, load
from empirisk.report.targets import run_targets
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed

__all__ = ["Report", "report"]

HIGH = 640  # pixels of the page in a notebook


@dataclass(frozen=True, repr=False)
class Report(Formed):
    """A report on a table: its page, its numbers, its sentences and its model.

    Parameters
    ----------
    json : dict
        Everything that the page says, as in ``report.json``.
    html, markdown : str
        The page, and the same in Markdown.
    model : empirisk.report.saved.model_file.ModelFile
        The chosen model, which predicts frames and files.
    sentences : tuple of str
        The verdict: the chosen model, its test score, certificate, next step, serious findings.
    log : tuple of str
        How every column was read, and what was planned.
    seconds : float
        Wall time.
    """

    json: dict[str, Any]
    html: str
    markdown: str
    model: ModelFile
    sentences: tuple[str, ...]
    log: tuple[str, ...]
    seconds: float
    _files: dict[str, bytes] = field(default_factory=dict)
    _like: Any = None

    @property
    def verdict(self) -> str:
        """What was found, in one sentence: whether the chosen model is better than the baseline."""
        return str(self.json["verdict"]["sentence"])

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write ``report.html``, ``report.md``, ``report.json`` and ``model.empirisk``, all or none.

        Parameters
        ----------
        folder : str or path
            Made where it does not exist; an earlier report in it is replaced.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ValueError
            The folder holds other files, or cannot be written.
        """
        with report_folder(Path(folder)) as fresh:
            for name, data in self._files.items():
                (fresh / name).write_bytes(data)
        return Path(folder)

    def to_frame(self) -> Any:
        """Return the candidates, one a row, as a pandas data frame (polars where the table was one): score
        with its interval, probability of being best, seconds of the fits.
        """
        rows, scores = self._candidates()
        return as_frame(
            {
                "model": [r["label"] for r in rows],
                "score": [None if e is None else e.value for e in scores],
                "low": [None if e is None else e.low for e in scores],
                "high": [None if e is None else e.high for e in scores],
                "best_probability": [r["best_probability"] for r in rows],
                "fit_seconds": [r["fit_seconds"] for r in rows],
                "chosen": [r["chosen"] for r in rows],
            },
            self._like,
        )

    def _candidates(self) -> tuple[list[dict[str, Any]], list[Estimate | None]]:
        """Return the rows of the candidates and their scores."""
        rows = list(self.json["candidates"])
        return rows, [_estimate(r["score"]) for r in rows]

    def _form(self) -> Form:
        rows, scores = self._candidates()
        columns: dict[str, list[Any]] = {
            "model": [r["label"] for r in rows],
            self.json["selection"]["label"]: scores,
            "": ["chosen" if r["chosen"] else "" for r in rows],
        }
        more = self.sentences[1:] if self.sentences[0] == self.verdict else self.sentences
        return Form(self.verdict, columns, more)

    def __repr__(self) -> str:
        return self._form().text()

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        said = html.escape(self.verdict, quote=True)
        return (
            f"<iframe title='{said}' srcdoc=\"{page}\" sandbox='allow-scripts allow-popups'"
            f" style='width:100%;height:{HIGH}px;border:1px solid #8888;border-radius:4px'></iframe>"
        )


@overload
def report(data: Any, target: str, **options: Any) -> Report: ...


@overload
def report(data: Any, target: list[str] | tuple[str, ...], **options: Any) -> Reports[Report]: ...


def report(  # type: ignore[misc]  # the options are named below alone, once
    data: Any,
    target: str | list[str] | tuple[str, ...],
    *,
    out: str | PathLike[str] | None = None,
    types: Mapping[str, str] | None = None,
    drop: str | Sequence[str] = (),
    missing: Any = (),
    task: str | None = None,
    positive: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    group: str | None = None,
    time: str | None = None,
    gap: float = 0.0,
    exposure: str | None = None,
    weight: str | None = None,
    test: Any = None,
    seed: int = 0,
    level: float = 0.95,
    time_limit: float | None = None,
    models: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Report | Reports[Report]:
    """Fit and compare models of a table: the twin of the command ``empirisk report``, for notebooks.

    The table is split, candidates of each kind are compared by cross-validation on the training part, one
    is chosen by the one-standard-error rule, and it is scored once on the test part.

    Parameters
    ----------
    data : data frame (pandas, polars and others), mapping of names to columns, str or path
        Types of a frame are trusted: numbers, dates, truth values and categories are what they are; columns
        of text are read as those of a file are.  An index is left out.
    target : str, or list of str
        Column to predict.  Of several each has its report, without the others among its columns; the time
        limit is shared.
    out : str or path, optional
        Folder to write to as well; nothing stays on the disk by default.
    types : mapping of str to str, optional
        Kinds by column: number, boolean, categorical, text, date, date:FORMAT, id.
    drop : str or sequence of str
        Columns to leave out.
    missing : str, number or a sequence of them
        Values that stand for missing beside the usual markers, such as -200, or ``"999,age"`` for one
        column.
    task : {"binary", "multiclass", "regression"}, optional
        What is predicted; decided by the target by default.
    positive : str, optional
        The class whose probability is reported.
    delimiter, decimal, encoding : str, optional
        Of a text file; found by default.
    header : bool, optional
        Whether the first line of a text file holds names; found by default.
    group, time : str, optional
        Column whose rows belong together; column that orders the rows in time: the last 20 % are the test
        part, and models are chosen on blocks forward in time.
    gap : float, default 0
        With `time`: days (or units of a column of numbers) between rows to fit on and rows that are scored.
    exposure : str, optional
        Column over which the target is counted, such as years: the models are of rates.
    weight : str, optional
        Column of what each row counts, in fits and in scores.
    test : data frame, mapping, str or path, optional
        Rows of the test part; 20 % of `data` by default.
    seed : int, default 0
        Of every random choice.
    level : float in [0.5, 1), default 0.95
        Of all intervals.
    time_limit : float, optional
        Seconds; less is done to keep them, and said.
    models : str or sequence of str, optional
        Kinds to try: linear, tree, boosting, forest, neighbors, kernel, bayes, network; all by default.
    progress : callable, bool or None
        None: a bar with the time left, in a terminal or a notebook.  A callable gets (percent done, 100).

    Returns
    -------
    Report
        A :class:`empirisk.report.made_targets.Reports`, by target, where `target` is a list.  A report
        shows its page in a notebook; ``.sentences``, ``.model``, ``.json``, ``.to_frame()``,
        ``.save(folder)``.

    Raises
    ------
    ValueError
        The table cannot be used as asked; the sentence names the column or parameter.

    Notes
    -----
    The numbers are those of the command for the same table, whose files `save` writes.  The cost is that of
    the plan in ``.log``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=120)
    >>> table = {"x": x, "noise": rng.normal(size=120), "y": 2.0 * x + rng.normal(size=120)}
    >>> found = er.report(table, "y", models="linear", time_limit=4, progress=False)
    >>> found.model.predict({"x": [0.0, 1.0], "noise": [0.0, 0.0]}).shape
    (2,)
    """
    began = Deadline(time_limit)
    options = Options(
        data=data if is_frame(data) else Path(data),
        target="" if isinstance(target, list | tuple) else target,
        out=None if out is None else Path(out),
        types=dict(types or {}),
        drop=(drop,) if isinstance(drop, str) else tuple(drop),
        missing=tuple(str(v) for v in ((missing,) if isinstance(missing, str | int | float) else missing)),
        task=task,
        positive=positive,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=header,
        group=group,
        time=time,
        gap=gap,
        exposure=exposure,
        weight=weight,
        test=test if test is None or is_frame(test) else Path(test),
        seed=seed,
        level=level,
        time_limit=time_limit,
        models=models if models is None or isinstance(models, str) else ",".join(models),
    )
    log: list[str] = []
    show = _bar(progress)
    if isinstance(target, list | tuple):
        several = _several(options, [column_name(name, "target") for name in target], began, show)
        if out is not None:
            several.save(out)
        return several
    with _in_words_of_python(), tempfile.TemporaryDirectory() as place:
        made = run_report(options, log.append, began, show=show, folder=Path(place) / "report")
        found = _kept(made, tuple(log[: len(log) - len(closing_lines(made))]), data)
    if out is not None:
        found.save(out)
    return found


def _several(
    options: Options, targets: list[str], began: Deadline, show: Callable[[float], Any]
) -> Reports[Report]:
    """Return the reports on several targets, in memory."""
    if len(targets) < 2:
        raise DataError(f"target must be the name of one column, or a list of two at least; got {targets}")
    log: list[str] = []
    with _in_words_of_python(), tempfile.TemporaryDirectory() as place:
        made = run_targets(options, targets, log.append, began, show=show, folder=Path(place) / "report")
        kept = {t: _kept(o, tuple(log), options.data) for t, o in zip(targets, made.outcomes, strict=True)}
    return Reports(made.report, kept, made.seconds, _estimate, next(iter(kept.values()))._like)


def _kept(made: Outcome, log: tuple[str, ...], data: Any) -> Report:
    """Return the files of a report that was written, in memory."""
    files = {path.name: path.read_bytes() for path in sorted(made.folder.iterdir())}
    page, words = (files[name].decode("utf-8") for name in ("report.html", "report.md"))
    model, said = load(made.folder / "model.empirisk"), tuple(closing_lines(made)[:-1])
    like = pl.DataFrame() if isinstance(data, pl.DataFrame | pl.LazyFrame) else None
    return Report(made.report, page, words, model, said, log, made.seconds, files, like)


def _bar(progress: Progress | None) -> Callable[[float], Any]:
    """Return what makes the display of a report from its predicted seconds."""
    steps = teller(progress)

    @contextmanager
    def show(seconds: float) -> Iterator[Told]:
        told = Told(seconds, steps)
        yield told
        told.end()

    return show


@contextmanager
def _in_words_of_python() -> Iterator[None]:
    """Turn the options that an error of the data names into parameters: ``--drop`` into ``drop=``."""
    try:
        yield
    except DataError as error:
        said = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: f"{m[1].replace('-', '_')}=", str(error))
        raise DataError(said) from None


def _estimate(e: dict[str, Any] | None) -> Estimate | None:
    """Return an estimate of ``report.json`` as an object."""
    if e is None or e["value"] is None:
        return None
    known = ("value", "low", "high", "level", "n", "method", "reason", "target")
    return Estimate(**{name: e[name] for name in known if name in e})
