"""What was chosen on the rows: strengths and settings found by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.results import Assumption

__all__ = ["Tuning", "find_tuning"]


@dataclass(frozen=True)
class Tuning:
    """Whether settings of the model were chosen on its rows, and among how many fixed ones.

    Parameters
    ----------
    what : str
        The setting that was chosen, empty when none is known to be.
    candidates : int or None
        How many settings, fixed before the rows were seen, competed; None when nobody can say.
    declared : bool
        Whether the number comes from the user.
    outer : bool
        Whether a search around the model chose it, so that the class itself may depend on the rows.
    """

    what: str = ""
    candidates: int | None = 1
    declared: bool = False
    outer: bool = False

    @property
    def reason(self) -> str:
        """Why a theorem about one fixed algorithm does not apply; empty when it does (by a union bound)."""
        if self.candidates is not None:
            return ""
        return (
            f"{self.what} {self._was} tuned on these rows, over values that depend on them: the theorem "
            "needs it fixed before; fix it, or tune over a list of K fixed values (pass candidates=K)"
        )

    @property
    def expectation_reason(self) -> str:
        """Why a theorem about the expectation of one fixed algorithm does not apply."""
        if not self.what or self.candidates == 1:
            return ""
        return f"{self.what} {self._was} tuned on these rows: no union bound mends an expectation"

    @property
    def _was(self) -> str:
        return "were" if " and " in self.what else "was"

    @property
    def class_reason(self) -> str:
        """Why a theorem about one fixed class of models does not apply."""
        return self.reason if self.outer else ""

    @property
    def class_candidates(self) -> int:
        """Over how many classes a union bound is needed."""
        return (self.candidates or 1) if self.outer else 1

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return what is assumed about how the settings were chosen."""
        if self.declared:
            return (Assumption(f"at most {self.candidates:,} settings were tried on the rows", "declared"),)
        if self.what and self.candidates is not None:
            return (
                Assumption(
                    f"{self.what} {self._was} chosen among {self.candidates:,} fixed values", "computed"
                ),
            )
        return () if self.what else (Assumption("no setting was chosen on the rows"),)


def find_tuning(est: Any, declared: int | None) -> tuple[Any, Tuning]:
    """Return the model inside a search, and what was tuned.

    Parameters
    ----------
    est : fitted estimator
        A search over settings, a pipeline, or a model that tunes itself.
    declared : int or None
        The user's number of settings tried.
    """
    outer, model = Tuning(), est
    if hasattr(est, "best_estimator_") and hasattr(est, "cv_results_"):
        fixed = not getattr(est, "zoom", 0)
        tried = len(est.cv_results_["params"]) if fixed else None
        model, outer = est.best_estimator_, Tuning(_searched(est), tried, outer=True)
    inner = _self_tuned(model)
    if declared is not None:
        return model, Tuning("the setting", declared, declared=True, outer=outer.outer)
    if not inner.what or not outer.what:
        return model, outer if outer.what else inner
    both = None if None in (outer.candidates, inner.candidates) else _product(outer, inner)
    return model, Tuning(f"{outer.what} and {inner.what}", both, outer=True)


def _searched(est: Any) -> str:
    """Return the names of what a search chose, without the step of a pipeline that they belong to."""
    names = sorted({str(name).rpartition("__")[2] for name in getattr(est, "best_params_", {})})
    return " and ".join(names) or "the setting of the search"


def _product(a: Tuning, b: Tuning) -> int:
    return (a.candidates or 1) * (b.candidates or 1)


def _self_tuned(est: Any) -> Tuning:
    """Return what a model (or a step of a pipeline) tunes by itself."""
    for _, step in getattr(est, "steps", None) or [("", est)]:
        found = _of_step(step)
        if found.what:
            return found
    return Tuning()


def _of_step(step: Any) -> Tuning:
    settings = step.get_params(deep=False) if hasattr(step, "get_params") else {}
    if isinstance(settings.get("alpha"), str) and settings["alpha"] == "cv":
        tried: Any = settings.get("alphas")
        return Tuning("alpha", int(np.size(tried)) if np.ndim(tried) else None)
    if not type(step).__name__.endswith("CV"):
        return Tuning()
    number = 1
    for name in ("Cs", "alphas", "l1_ratio", "l1_ratios"):
        given: Any = settings.get(name)
        if np.ndim(given) > 0:
            number *= int(np.size(given))
        elif name == "Cs" and given is not None:
            number *= int(given)  # scikit-learn's fixed grid from 1e-4 to 1e4
        elif name == "alphas":
            return Tuning("alpha", None)
    return Tuning("the penalty's strength", number)
