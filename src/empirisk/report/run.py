"""``empirisk report`` from beginning to end: read, tell, plan, fit, write, tell."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from empirisk import _loops, wording
from empirisk.data.deadline import Deadline
from empirisk.data.memory import available_memory
from empirisk.data.side_by_side import threads_for_pieces
from empirisk.data.waiting import beside_others
from empirisk.report.atomic import check_folder
from empirisk.report.collect import collect
from empirisk.report.errors import DataError
from empirisk.report.fit.engine import Analysis, Prepared, analyse, halvings, prepare
from empirisk.report.options import Options
from empirisk.report.overrun import Steps
from empirisk.report.progress import progress_for
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.render.write import write_report
from empirisk.report.replaced import replaced
from empirisk.report.sections.prose import first_sentence, first_step
from empirisk.report.sections.verdict.section import top_findings
from empirisk.report.sections.verdict.versus import versus

__all__ = ["Outcome", "closing_lines", "refuse_too_large", "run_report", "table_of"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The report and where it lies; `errors` are those of sections that were left out, and `overrun` says
    how far the run went beyond its limit of time.
    """

    report: Json
    folder: Path
    seconds: float
    errors: tuple[Exception, ...] = ()
    overrun: str = ""

    @property
    def serious(self) -> list[str]:
        """The sentences of those findings whose level is serious."""
        return [f["sentence"] for f in self.report["findings"] if f["level"] == "serious"]


@contextmanager
def _task_is_known() -> Iterator[None]:
    """Without scikit-learn's doubt about many classes: the task was settled, and said, before any fit."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        yield


@_task_is_known()
def table_of(options: Options) -> Table:
    """Read the table of a report as its options say.

    Raises
    ------
    DataError
        Names what in the table or the options cannot be used.
    """
    return read_table(
        options.data,
        target=options.target,
        types=options.types,
        drop=options.drop,
        task=options.task,
        positive=options.positive,
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        header=options.header,
        group=options.group,
        time=options.time,
        exposure=options.exposure,
        weight=options.weight,
        missing=options.missing,
    )


def run_report(
    options: Options,
    say: Callable[[str], None],
    deadline: Deadline | None = None,
    *,
    folder: Path | None = None,
    show: Callable[[float], Any] | None = None,
    look: Callable[[Analysis, Json], None] | None = None,
    table: Table | None = None,
) -> Outcome:
    """Make a report.

    Parameters
    ----------
    options : Options
    say : callable
        Prints one line.
    deadline : Deadline, optional
        What cuts the fits; that of the time limit, which began when the program did, by default.
    folder : Path, optional
        Where to write; that of the options by default.
    show : callable, optional
        Gives the display of the progress, a context, for the predicted seconds; that of the command by
        default.
    look : callable, optional
        Gets the analysis and its report before the first is forgotten.
    table : Table, optional
        What :func:`table_of` gives for the options, where it was read before.

    Raises
    ------
    DataError
        One sentence that names what is wrong and what to do.
    """
    kinds = options.check()
    deadline = deadline or Deadline(options.time_limit)
    folder = options.folder if folder is None else folder
    check_folder(folder)
    table = table_of(options) if table is None else table
    for line in [*table.lines(), replaced(folder, (str(table.target),), table.source.name)]:
        if line:
            say(line)
    test_table = None
    if options.test is not None:
        test_table = read_table(options.test, like=table)
        for line in test_table.lines():
            say(line)
    p = prepare(
        table,
        test_table,
        seed=options.seed,
        level=options.level,
        time_limit=options.time_limit,
        kinds=kinds,
        deadline=None if deadline.limit is None else deadline,
        gap=options.gap,
    )
    dealt = "" if p.train.time is None else wording.counted(p.folds.n_folds, "block") + " forward in time"
    for line in p.plan.lines(p.split.why, options.time_limit, dealt):
        say(line)
    refuse_too_large(p.plan.memory, available_memory())
    steps = Steps(deadline)
    steps.done("starting, reading and looking at the data")
    show = show or partial(progress_for, quiet=options.quiet)
    with show(p.plan.seconds) as progress, beside_others(), threads_for_pieces(_threads(p)):
        a = analyse(p, progress, deadline)
        steps.done("the fits")
        seconds = time.perf_counter() - deadline.began
        report = collect(a, command=options.command(), seconds=seconds, settings=_settings(options, a))
        steps.done("the sections")
        if look is not None:
            look(a, report)
        progress.stage("Writing", 1, 1.0)
        write_report(a, report, folder)
        steps.done("drawing and writing")
    seconds = time.perf_counter() - deadline.began
    outcome = Outcome(report, folder, seconds, tuple(a.guard.errors), steps.overrun())
    for line in closing_lines(outcome):
        say(line)
    return outcome


def _threads(p: Prepared) -> int:
    """Return on how many threads folds are fitted side by side.

    Large tables keep them for the loops of one fit, which share its memory; with a time limit there is one,
    because an alarm ends no other thread than the first.
    """
    return _loops.max_threads() if p.plan.side else 1


def refuse_too_large(forecast: float, available: float | None) -> None:
    """Refuse work whose forecast exceeds the free memory, before the system ends it without a word.

    Parameters
    ----------
    forecast, available : float or None
        In GB.

    Raises
    ------
    DataError
        Says both and what to do.

    Examples
    --------
    >>> refuse_too_large(1.0, 8.0)
    >>> refuse_too_large(1.0, None)
    """
    if available is not None and forecast > available:
        raise DataError(
            f"this report needs about {forecast:.1f} GB of memory and {available:.1f} GB are free: "
            "leave out columns with many levels (--drop), or give fewer rows"
        )


def _settings(options: Options, a: Analysis) -> Json:
    p, plan = a.prepared, a.prepared.plan
    return {
        "level": options.level,
        "test_share": round(p.test.n / (p.test.n + p.train.n), 4),
        "folds": a.folds.n_folds,
        "repeats": a.folds.n_repeats,
        "penalties": plan.n_alphas,
        "curve_sizes": halvings(p, a.scoring, a.model.candidate, a.model.alpha),
        "rule": "one-standard-error",
        "time_limit": options.time_limit,
        "forecast_seconds": round(plan.seconds),
        "forecast_gigabytes": round(plan.memory, 1),
        "models": ", ".join(options.kinds()),
        "missing": "; ".join(options.missing) or None,
        "left_out_for_time": a.spared,
    }


def closing_lines(outcome: Outcome) -> list[str]:
    """Return the last lines, which are those of the top of the page, and where the report lies."""
    report, verdict = outcome.report, outcome.report["verdict"]
    shown = versus(report)
    lines = [verdict["sentence"], *([shown.said] if shown.said else []), f"{shown.made}."]
    top = [f for _, f in top_findings(report)]
    more = [f for f in report["findings"] if f["level"] == "serious" and f not in top]
    for f in [*top, *more]:
        do = f" Do: {first_step(f['advice'])}" if f["advice"] else ""
        lines.append(f"{f['level'].capitalize()} finding {f['code']}: {first_sentence(f['sentence'])}{do}")
    lines += [verdict["certificate"]] if verdict["certificate"] else []
    lines += [f"Next step: {verdict['next_step']['sentence']}"] if verdict["next_step"] else []
    lines += [f"Left out of the report: {part['sentence']}" for part in report["failed"]]
    lines += [outcome.overrun] if outcome.overrun else []
    where = outcome.folder / "report.html"
    lines.append(f"Report: {where}   (also report.json, report.md, model.empirisk)   {outcome.seconds:.0f} s")
    return lines
