"""Reports on several targets of one table: one each in a folder of its own, and a page that lists them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from empirisk import __version__
from empirisk.data.deadline import Deadline
from empirisk.report.atomic import OUTPUTS, report_folder
from empirisk.report.errors import DataError
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.held_out_scores import about_groups, against, comparison
from empirisk.report.options import Options
from empirisk.report.render.targets import write_index
from empirisk.report.replaced import replaced
from empirisk.report.run import Outcome, run_report, table_of
from empirisk.report.sections.verdict.headline import headline

__all__ = ["SCHEMA", "TargetsOutcome", "folders_of", "joint_level", "run_targets"]

Json = dict[str, Any]
SCHEMA = "empirisk-targets/1"
LONGEST = 60  # letters of the name of a folder


@dataclass(frozen=True)
class TargetsOutcome:
    """The index of reports on several targets, where they lie, and how each of them ended."""

    report: Json
    folder: Path
    seconds: float
    outcomes: tuple[Outcome, ...]

    @property
    def errors(self) -> list[Exception]:
        """Errors of sections that were left out of any of the reports."""
        return [error for outcome in self.outcomes for error in outcome.errors]

    @property
    def serious(self) -> list[str]:
        """The sentences of the serious findings of all reports, with the target in front."""
        return [f"{o.report['task']['target']}: {said}" for o in self.outcomes for said in o.serious]


def joint_level(level: float, k: int) -> float:
    """Return the level of each of k intervals that hold together with a chance of at least `level`
    (Bonferroni).

    Examples
    --------
    >>> joint_level(0.95, 2), joint_level(0.95, 1)
    (0.975, 0.95)
    """
    return 1.0 - (1.0 - level) / k


def folders_of(targets: Sequence[str]) -> list[str]:
    """Return a name of a folder for each target, of plain letters and different from one another.

    Examples
    --------
    >>> folders_of(["price (NOK)", "price/NOK", "report.md"])
    ['price-NOK', 'price-NOK-2', 'report.md-2']
    """
    out: list[str] = []
    taken = {name.lower() for name in OUTPUTS}
    for target in targets:
        plain = re.sub(r"[^\w.]+", "-", target).strip("-.")[:LONGEST] or "target"
        name, i = plain, 1
        while name.lower() in taken:
            i += 1
            name = f"{plain}-{i}"
        taken.add(name.lower())
        out.append(name)
    return out


def run_targets(
    options: Options,
    targets: Sequence[str],
    say: Callable[[str], None],
    deadline: Deadline | None = None,
    *,
    folder: Path | None = None,
    show: Callable[[float], Any] | None = None,
) -> TargetsOutcome:
    """Make a report on each target, without the other targets among the columns, and the index of all.

    Parameters
    ----------
    options : Options
        Those of all reports; its target is not looked at.
    targets : sequence of str
        At least two columns.
    say : callable
        Prints one line.
    deadline : Deadline, optional
        The end of all reports together: each gets an equal share of what is left.
    folder : Path, optional
        Where to write; that of the options by default.  All reports are written, or none.
    show : callable, optional
        Gives the display of the progress of a report for its predicted seconds.

    Raises
    ------
    DataError
        Names a target that is given twice or cannot be predicted, before any fit.
    """
    options.check()
    deadline = deadline or Deadline(options.time_limit)
    folder = options.folder if folder is None else folder
    each = [_of_target(options, targets, target) for target in targets]
    # A target that cannot be predicted is refused before minutes are spent on another.
    tables = [table_of(one) for one in each]
    if said := replaced(folder, tuple(targets), tables[0].source.name):
        say(said)
    level = joint_level(options.level, len(targets))
    rows: list[Json] = []
    outcomes: list[Outcome] = []
    with report_folder(folder) as fresh:
        for i, (one, name) in enumerate(zip(each, folders_of(targets), strict=True)):
            say(f"Target {i + 1} of {len(targets)}: {one.target}")
            share = Deadline(None)
            if deadline.limit is not None:
                share = Deadline(round(deadline.left() / (len(targets) - i), 1))
                one = replace(one, time_limit=max(share.limit or 0.0, 0.1))
            found: list[Json] = []
            made = run_report(
                one,
                _lines(say, str(fresh), str(folder), first=i == 0),
                share,
                folder=fresh / name,
                show=show,
                look=partial(_keep, found, level),
                table=tables[i],
            )
            outcomes.append(replace(made, folder=folder / name))
            rows.append({"folder": name} | found[0] | {"seconds": round(made.seconds, 2)})
        seconds = time.perf_counter() - deadline.began
        index = _index(options, targets, rows, outcomes[0].report, level, seconds)
        write_index(index, fresh)
    say(f"All targets: {folder / 'report.html'}   (also report.json, report.md)   {seconds:.0f} s")
    return TargetsOutcome(index, folder, seconds, tuple(outcomes))


def _of_target(options: Options, targets: Sequence[str], target: str) -> Options:
    """Return the options of the report on one target: the others are left out of the columns."""
    if options.positive is not None:
        raise DataError(
            "--positive names a class of one target: leave it out where there are several targets"
        )
    if list(targets).count(target) > 1:
        raise DataError(f"--target {target!r} is given twice: name each target once")
    if target in options.drop:
        raise DataError(f"{target!r} is a target and cannot be dropped: leave --drop {target} out")
    others = tuple(other for other in targets if other != target)
    return replace(options, target=target, drop=(*options.drop, *others))


def _lines(say: Callable[[str], None], fresh: str, folder: str, *, first: bool) -> Callable[[str], None]:
    """Return what prints the lines of one report: columns once, and folders as they will be called."""
    told = [first]

    def tell(line: str) -> None:
        told[0] = told[0] or line.startswith("Plan:")
        if told[0]:
            say(line.replace(fresh, folder))

    return tell


def _keep(rows: list[Json], level: float, a: Analysis, report: Json) -> None:
    """Add what the index says of a report to some rows."""
    rows.append(_row(a, report, level))


def _row(a: Analysis, report: Json, level: float) -> Json:
    """Return what the index says of one report, with intervals of the joint level."""
    name = report["verdict"]["headline"]["name"]
    scores = replace(a.scores, level=level)
    made = comparison(scores, name, report["task"]["unit"])
    other = None if a.simplest is None else against(scores, a.simplest.scores, name)
    simplest = None
    if a.simplest is not None and other is not None and other[0]["value"] is not None:
        candidate = a.simplest.row.result.candidate
        simplest = {"label": candidate.label, "estimate": other[0], "difference": other[1]}
    row = {
        "target": report["task"]["target"],
        "title": report["task"]["title"],
        "kind": report["task"]["kind"],
        "unit": report["task"]["unit"],
        "model": report["model"]["label"],
        "n_train": a.prepared.train.n,
        "n_test": a.prepared.test.n,
        "headline": headline([made] if made else [report["verdict"]["headline"]], name),
        "simplest": simplest,
        "findings": report["verdict"]["findings"],
    }
    return about_groups(row, a.prepared.train, a.prepared.test)


def _index(
    options: Options, targets: Sequence[str], rows: list[Json], first: Json, level: float, seconds: float
) -> Json:
    """Return ``report.json`` of the page that lists the targets."""
    k = len(targets)
    said = (
        f"The {k} intervals of a column hold together with a chance of {100 * options.level:g} %: each has "
        f"the level {100 * level:.4g} % (Bonferroni over the targets), and is wider than that on the page "
        "of its target. The other targets are left out of the columns of each."
    )
    return {
        "schema": SCHEMA,
        "level": options.level,
        "joint_level": level,
        "sentence": said,
        "source": first["data"]["source"],
        "n_columns": first["data"]["n_columns"],
        "targets": rows,
        "provenance": {
            "command": options.command(targets),
            "version": __version__,
            "created": first["provenance"]["created"],
            "seconds": round(seconds, 2),
            "time_limit": options.time_limit,
        },
    }
