"""The audit of a table: every check, what it found, what it did not find, and which could not run and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.report.audit.checks import Audited, Check, NotRunError
from empirisk.report.audit.checks_columns import (
    constant_columns,
    duplicate_names,
    empty_columns,
    equal_columns,
    id_columns,
    lookalike_levels,
    mixed_columns,
    texts_and_rare_levels,
)
from empirisk.report.audit.checks_rows import (
    duplicate_rows,
    few_rows,
    missing_values,
    rare_classes,
    rows_without_target,
    straddling_twins,
    undeclared_dates,
)
from empirisk.report.audit.codes import codes_for_missing
from empirisk.report.audit.formula import formula_of_the_target
from empirisk.report.audit.leak import leak_suspects
from empirisk.report.audit.missingness import informative_missingness
from empirisk.report.audit.proportion import values_out_of_proportion
from empirisk.report.errors import DataError
from empirisk.report.fit.split import Split
from empirisk.report.guarded import LATE, failure
from empirisk.report.read.table import Table
from empirisk.results import Finding
from empirisk.wording import quoted

__all__ = ["CHECKS", "WITHOUT_TARGET", "Audit", "Checked", "audit", "by_level", "grouped"]

CHECKS: tuple[Check, ...] = (
    Check("ER101", "empty columns", empty_columns),
    Check("ER102", "constant columns", constant_columns),
    Check("ER103", "columns that name the rows", id_columns),
    Check("ER104", "free text and rare levels", texts_and_rare_levels),
    Check("ER105", "missing values", missing_values),
    Check("ER106", "missing values that go with the target", informative_missingness),
    Check("ER107", "exact duplicate rows", duplicate_rows),
    Check("ER108", "twins across train and test", straddling_twins),
    Check("ER109", "numbers mixed with words", mixed_columns),
    Check("ER110", "classes with few rows", rare_classes),
    Check("ER111", "dates that the split ignores", undeclared_dates),
    Check("ER112", "duplicate names in the header", duplicate_names),
    Check("ER113", "a column that predicts the target alone", leak_suspects),
    Check("ER114", "levels that look alike", lookalike_levels),
    Check("ER115", "numbers that look like codes", codes_for_missing),
    Check("ER116", "rows without a target", rows_without_target),
    Check("ER117", "equal columns", equal_columns),
    Check("ER118", "few rows", few_rows),
    Check("ER119", "a target that is a formula of other columns", formula_of_the_target),
    Check("ER120", "values out of all proportion", values_out_of_proportion),
)
# Those that ask for no target and for no split.
WITHOUT_TARGET = tuple(
    check
    for check in CHECKS
    if check.code
    in (
        "ER101",
        "ER102",
        "ER103",
        "ER104",
        "ER105",
        "ER107",
        "ER109",
        "ER112",
        "ER114",
        "ER115",
        "ER118",
        "ER120",
    )
)
_SHOWN = 8  # findings of a group whose evidence is printed
_ORDER = {"serious": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Checked:
    """How one check ended; the sentence says what was found, what was seen instead, or why it could not
    run."""

    code: str
    name: str
    outcome: Literal["found", "nothing", "cannot_tell", "not_run"]
    sentence: str


@dataclass(frozen=True)
class Audit:
    """Findings (the most serious first) and one line for every check."""

    findings: tuple[Finding, ...]
    checks: tuple[Checked, ...]


def audit(
    table: Table,
    split: Split,
    *,
    test_table: Table | None = None,
    seed: int = 0,
    deadline: Deadline | None = None,
    seconds: float = math.inf,
    checks: Sequence[Check] = CHECKS,
) -> Audit:
    """Run every check of the registry on a table.

    Parameters
    ----------
    table : Table
    split : Split
        Associations with the target are looked for in its training rows only.
    test_table : Table, optional
        The test file, when there is one.
    seed : int, default=0
        Of folds and permutations.
    deadline : Deadline, optional
        What cuts a check that takes too long.
    seconds : float
        How long all checks may take together.
    checks : sequence of Check
        Those to run; all by default.
    """
    deadline = deadline or Deadline(None)
    end = deadline.left() - seconds
    audited = Audited(table, split, test_table, seed)
    findings: list[Finding] = []
    ran: list[Checked] = []
    for check in checks:
        try:
            with deadline.within(math.inf if math.isinf(seconds) else max(0.2, deadline.left(end))):
                outcome = check.run(audited)
        except OutOfTime:
            ran.append(Checked(check.code, check.name, "not_run", f"it {LATE}"))
            continue
        except NotRunError as reason:
            ran.append(Checked(check.code, check.name, "not_run", str(reason)))
            continue
        except DataError:
            raise
        except Exception as error:  # one check may not take the report with it
            ran.append(Checked(check.code, check.name, "not_run", failure("This check", error)))
            continue
        if outcome.findings:
            findings += outcome.findings
            told = " ".join(f.sentence for f in outcome.findings[:2])
            more = f" And {len(outcome.findings) - 2} more." if len(outcome.findings) > 2 else ""
            ran.append(Checked(check.code, check.name, "found", told + more))
        else:
            ran.append(Checked(check.code, check.name, "nothing", outcome.nothing))
    return Audit(tuple(by_level(findings)), tuple(ran))


def by_level(findings: Iterable[Finding]) -> list[Finding]:
    """Return the most serious first; those of one level in the order given."""
    return sorted(findings, key=lambda f: _ORDER[f.level])


def grouped(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of one code and level, each about columns, become one: the first in front, the others named.

    Checks give the strongest first, so that the sentence is about the strongest.
    """
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for i, f in enumerate(findings):
        alike.setdefault((f.code, f.level, "" if f.where else str(i)), []).append(f)
    return [_one(same) for same in alike.values()]


def _one(same: list[Finding]) -> Finding:
    first, *rest = same
    if not rest:
        return first
    names = [f.where[0] for f in rest]
    also = f"the same holds for {quoted(names)}" if len(rest) > 1 else f"so it is with {names[0]!r}"
    evidence = "; ".join(f"{f.where[0]!r}: {f.evidence}" for f in same[:_SHOWN])
    more = f"; and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
    where = tuple(dict.fromkeys(name for f in same for name in f.where))
    return replace(
        first, sentence=f"{first.sentence.removesuffix('.')}; {also}.", evidence=evidence + more, where=where
    )
