"""How many numbers a fitted model consists of, by which simple models are told from rich ones."""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.bayes import n_law_numbers
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.compared import numbers_kept
from empirisk.report.fit.grown import n_leaves
from empirisk.report.fit.network import n_weights

__all__ = ["numbers_held"]


def numbers_held(candidate: Candidate, model: Any) -> int:
    """Return the numbers of a fitted estimator in the unit of its candidate; 0 for the baseline.

    Parameters
    ----------
    candidate : Candidate
        Any but a linear one, whose coefficients are counted where its terms are known.
    model : fitted estimator
        The last step of the pipeline.
    """
    if candidate.grown:
        return n_leaves(model)
    if candidate.compares:
        return numbers_kept(model)
    if candidate.kind == "bayes":
        return n_law_numbers(model)
    return n_weights(model) if candidate.kind == "network" else 0
