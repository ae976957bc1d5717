"""Findings about one model: each a test or an interval with a stated null, and each may say "cannot tell"."""

from __future__ import annotations

from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.base import Context, Finder
from empirisk.diagnosis.build import context

# code: the finding. Adding one is one file here, one row, and a page docs/findings/<code>.md.
REGISTRY: dict[str, Finder] = {}

__all__ = ["REGISTRY", "Answer", "Context", "Finder", "Outcome", "context"]
