"""``empirisk report`` from beginning to end: read, tell, plan, fit, write, tell."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from empirisk.plots import wording
from empirisk.report.atomic import check_folder
from empirisk.report.collect import collect
from empirisk.report.engine import Prepared, analyse, prepare
from empirisk.report.errors import DataError
from empirisk.report.lines import inference_lines
from empirisk.report.progress import progress_for
from empirisk.report.read import read_table
from empirisk.report.write import write_report

__all__ = ["Options", "Outcome", "run_report"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What the user asked for; see ``empirisk report --help``."""

    data: Path
    target: str
    out: Path | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    task: str | None = None
    positive: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    group: str | None = None
    time: str | None = None
    test: Path | None = None
    seed: int = 0
    level: float = 0.95
    time_limit: float | None = None
    quiet: bool = False
    command: str = "empirisk report"

    @property
    def folder(self) -> Path:
        """Where the report goes: ``--out``, or the name of the data file with ``-report``."""
        if self.out is not None:
            return self.out
        return Path(f"{self.data.name.split('.')[0] or 'data'}-report")


@dataclass(frozen=True)
class Outcome:
    """The report and where it lies."""

    report: Json
    folder: Path
    seconds: float

    @property
    def serious(self) -> list[str]:
        """Sentences of the serious findings."""
        return [f["sentence"] for f in self.report["findings"] if f["level"] == "serious"]


def run_report(options: Options, say: Callable[[str], None]) -> Outcome:
    """Make a report.

    Parameters
    ----------
    options : Options
    say : callable
        Prints one line.

    Raises
    ------
    DataError
        One sentence that names what is wrong and what to do.
    """
    started = time.perf_counter()
    _check(options)
    check_folder(options.folder)
    table = read_table(
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
    )
    for line in inference_lines(table):
        say(line)
    test_table = None
    if options.test is not None:
        test_table = read_table(options.test, like=table)
        for line in inference_lines(test_table):
            say(line)
    p = prepare(table, test_table, seed=options.seed, level=options.level, time_limit=options.time_limit)
    for line in p.plan.lines(p.split.why):
        say(line)
    with progress_for(p.plan.seconds, quiet=options.quiet) as progress:
        a = analyse(p, progress)
        seconds = time.perf_counter() - started
        report = collect(a, command=options.command, seconds=seconds, settings=_settings(options, p))
        progress.stage("Writing", 1, 1.0)
        write_report(a, report, options.folder)
    seconds = time.perf_counter() - started
    outcome = Outcome(report, options.folder, seconds)
    for line in closing_lines(outcome):
        say(line)
    return outcome


def _check(options: Options) -> None:
    if not 0.5 <= options.level < 1.0:
        raise DataError(
            f"--level {options.level} is no level of confidence: give a number from 0.5 to below 1, such as 0.95"
        )
    if options.time_limit is not None and options.time_limit <= 0.0:
        raise DataError(f"--time-limit {options.time_limit} must be a positive number of seconds")
    if options.seed < 0:
        raise DataError(f"--seed {options.seed} must be a whole number of at least 0")


def _settings(options: Options, p: Prepared) -> Json:
    plan = p.plan
    return {
        "level": options.level,
        "test_share": round(p.test.n / (p.test.n + p.train.n), 4),
        "folds": plan.n_folds,
        "repeats": plan.n_repeats,
        "penalties": plan.n_alphas,
        "curve_sizes": len(plan.shares),
        "rule": "one-standard-error",
        "time_limit": options.time_limit,
        "left_out_for_time": "; ".join(plan.cuts) or None,
    }


def closing_lines(outcome: Outcome) -> list[str]:
    """The last lines: chosen model, test metric, certificate, next step, where the report lies."""
    report, verdict = outcome.report, outcome.report["verdict"]
    label = report["model"]["label"]
    head = verdict["headline"]
    base = "" if head["baseline"] is None else f", baseline {wording.text(head['baseline'])}"
    said = [f"Test {head['label']} {wording.estimate(head['model'])}{base}"]
    said += [
        f"{m['label']} {wording.estimate(m['model'])}"
        for m in report["test"]["metrics"]
        if m["name"] in ("log_loss", "r2")
    ]
    lines = [
        f"Best by the one-standard-error rule: {label}.",
        f"{'; '.join(said)}; n = {report['test']['n_rows']:,}, used once.",
    ]
    lines += [verdict["certificate"]] if verdict["certificate"] else []
    step = verdict["next_step"]
    if step is not None:
        gain = "" if step["gain"] is None else f" Expected gain {wording.estimate(step['gain'])}."
        lines.append(f"Next step: {step['sentence']}{gain}")
    serious = [f for f in report["findings"] if f["level"] == "serious"]
    lines += [f"Serious finding {f['code']}: {f['sentence']}" for f in serious]
    where = outcome.folder / "report.html"
    lines.append(f"Report: {where}   (also report.json, report.md, model.empirisk)   {outcome.seconds:.0f} s")
    return lines
