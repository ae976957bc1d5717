"""The sections of the report, in the order of the page: one section, one file, one row."""

from __future__ import annotations

from empirisk.report.sections.base import Section
from empirisk.report.sections.candidates.section import CANDIDATES
from empirisk.report.sections.data.section import DATA
from empirisk.report.sections.findings import FINDINGS
from empirisk.report.sections.learning.section import LEARNING
from empirisk.report.sections.limits import LIMITS
from empirisk.report.sections.model.section import MODEL
from empirisk.report.sections.reproduce import REPRODUCE
from empirisk.report.sections.test.section import TEST
from empirisk.report.sections.verdict.section import VERDICT

__all__ = ["SECTIONS"]

SECTIONS: tuple[Section, ...] = (
    VERDICT,
    DATA,
    CANDIDATES,
    TEST,
    MODEL,
    LEARNING,
    FINDINGS,
    LIMITS,
    REPRODUCE,
)
