"""``empirisk cluster`` from beginning to end: read, tell, group, write, tell."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from empirisk import wording
from empirisk.data.deadline import Deadline
from empirisk.data.memory import available_memory
from empirisk.data.waiting import beside_others
from empirisk.report.atomic import check_folder
from empirisk.report.clusters.columns import take_part
from empirisk.report.clusters.engine import Clustered, Prepared, forecast, group_rows, prepare
from empirisk.report.clusters.options import ClusterOptions, numbers_of_clusters
from empirisk.report.collect import collect
from empirisk.report.options import check_numbers
from empirisk.report.overrun import Steps
from empirisk.report.progress import progress_for
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.render.write import write_clusters
from empirisk.report.replaced import replaced
from empirisk.report.run import Outcome, refuse_too_large
from empirisk.report.sections.registry import CLUSTER_REPORT

__all__ = ["run_clusters"]

Json = dict[str, Any]


def run_clusters(
    options: ClusterOptions, say: Callable[[str], None], deadline: Deadline | None = None
) -> Outcome:
    """Make a report on clusters.

    Parameters
    ----------
    options : ClusterOptions
    say : callable
        Prints one line.
    deadline : Deadline, optional
        What cuts the work; that of the time limit, which began when the program did, by default.

    Raises
    ------
    DataError
        One sentence that names what is wrong and what to do.
    """
    check_numbers(options.level, options.time_limit, options.seed)
    ks = numbers_of_clusters(options.ks)
    deadline = deadline or Deadline(options.time_limit)
    check_folder(options.folder)
    table = take_part(_read(options), options.id)
    for line in [*table.lines(), replaced(options.folder, (), table.source.name)]:
        if line:
            say(line)
    # The encoded rows, a sample of them, and what a fit holds beside them.
    terms = sum(max(1, len(c.levels)) for c in table.columns if c.role == "feature")
    refuse_too_large(4.0 * 8.0 * table.n_rows * terms / 1e9, available_memory())
    p = prepare(table, ks=ks, seed=options.seed, level=options.level)
    say(_plan(p))
    steps = Steps(deadline)
    steps.done("starting, reading and looking at the data")
    with (
        progress_for(forecast(p) + 7.0, quiet=options.quiet) as progress,
        beside_others(),
    ):
        a = group_rows(p, progress, deadline)
        steps.done("the number of clusters and the groups")
        progress.stage("Sections", 1, 5.0)
        seconds = time.perf_counter() - deadline.began
        report = collect(
            a, command=options.command(), seconds=seconds, settings=_settings(options, a), form=CLUSTER_REPORT
        )
        steps.done("the sections")
        progress.stage("Writing", 1, 1.0)
        write_clusters(a, report, options.folder)
        steps.done("drawing and writing")
    seconds = time.perf_counter() - deadline.began
    outcome = Outcome(report, options.folder, seconds, tuple(a.guard.errors), steps.overrun())
    for line in closing_lines(outcome):
        say(line)
    return outcome


def _read(options: ClusterOptions) -> Table:
    return read_table(
        options.data,
        task="clusters",
        types=options.types,
        drop=options.drop,
        delimiter=options.delimiter,
        decimal=options.decimal,
        encoding=options.encoding,
        header=options.header,
        missing=options.missing,
    )


def _plan(p: Prepared) -> str:
    taking = wording.counted(len(p.table.features), "column")
    tried = ", ".join(map(str, p.ks))
    some = (
        ""
        if len(p.drawn) == p.n
        else f"; the evidence is computed on {len(p.drawn):,} of them, drawn at random"
    )
    numbers = f"{wording.counted(p.matrix.X.shape[1], 'number')} each"
    return f"Plan: group {p.n:,} rows by {taking} ({numbers}); try 1, {tried} clusters{some}"


def _settings(options: ClusterOptions, a: Clustered) -> Json:
    return {
        "level": options.level,
        "numbers_of_clusters": ", ".join(map(str, (1, *a.prepared.ks))),
        "rows_of_the_evidence": len(a.prepared.drawn),
        "time_limit": options.time_limit,
        "missing": "; ".join(options.missing) or None,
        "left_out_for_time": None,
    }


def closing_lines(outcome: Outcome) -> list[str]:
    """Return the last lines: the verdict, the certificate, the next step, where the report lies."""
    report, verdict = outcome.report, outcome.report["verdict"]
    lines = [*verdict["sentences"], *([verdict["certificate"]] if verdict["certificate"] else [])]
    lines += [f"Next step: {verdict['next_step']}"] if verdict["next_step"] else []
    lines += [
        f"Serious finding {f['code']}: {f['sentence']}" for f in report["findings"] if f["level"] == "serious"
    ]
    lines += [f"Left out of the report: {part['sentence']}" for part in report["failed"]]
    lines += [outcome.overrun] if outcome.overrun else []
    where = outcome.folder / "report.html"
    files = "report.json, report.md, labels.csv, model.empirisk"
    return [*lines, f"Report: {where}   (also {files})   {outcome.seconds:.0f} s"]
