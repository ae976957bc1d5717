"""The sections of each form of report, in the order of the page: one section, one file, one row."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections.base import Form, Material, Section
from empirisk.report.sections.candidates.section import CANDIDATES
from empirisk.report.sections.cluster_limits import CLUSTER_LIMITS
from empirisk.report.sections.clusters.agreement import AGREEMENT
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.clusters.certificates import CERTIFICATES
from empirisk.report.sections.clusters.data import CLUSTER_DATA
from empirisk.report.sections.clusters.number import NUMBER
from empirisk.report.sections.clusters.plane import MAP
from empirisk.report.sections.clusters.profile import PROFILE
from empirisk.report.sections.clusters.scaling import SCALING
from empirisk.report.sections.clusters.stability import STABILITY
from empirisk.report.sections.clusters.verdict import CLUSTER_VERDICT
from empirisk.report.sections.data.section import DATA
from empirisk.report.sections.findings import FINDINGS
from empirisk.report.sections.learning.section import LEARNING
from empirisk.report.sections.limits import LIMITS
from empirisk.report.sections.model.section import MODEL
from empirisk.report.sections.reproduce import REPRODUCE
from empirisk.report.sections.test.section import TEST
from empirisk.report.sections.verdict.section import VERDICT

__all__ = ["CLUSTER_REPORT", "FORMS", "MODEL_REPORT", "SECTIONS", "form_of"]

SECTIONS: tuple[Section, ...] = (
    VERDICT,
    TEST,
    CANDIDATES,
    MODEL,
    LEARNING,
    FINDINGS,
    DATA,
    LIMITS,
    REPRODUCE,
)

MODEL_REPORT = Form("empirisk-report/1", "Model report", SECTIONS, Material)
CLUSTER_REPORT = Form(
    "empirisk-cluster-report/1",
    "Cluster report",
    (
        CLUSTER_VERDICT,
        CLUSTER_DATA,
        SCALING,
        NUMBER,
        PROFILE,
        STABILITY,
        AGREEMENT,
        MAP,
        CERTIFICATES,
        FINDINGS,
        CLUSTER_LIMITS,
        REPRODUCE,
    ),
    ClusterMaterial,
)

FORMS: dict[str, Form] = {form.schema: form for form in (MODEL_REPORT, CLUSTER_REPORT)}


def form_of(report: dict[str, Any]) -> Form:
    """Return the form of a report by what it says of itself; that of a model for a name that is none."""
    return FORMS.get(report.get("schema", ""), MODEL_REPORT)
