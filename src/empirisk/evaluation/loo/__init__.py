"""Leave-one-out predictions: exact without refits where the model allows it, by n fits elsewhere."""

from __future__ import annotations

from empirisk.evaluation.loo.predict import LeaveOneOut, leave_one_out
from empirisk.evaluation.loo.smoothers import loo_from_hat

__all__ = ["LeaveOneOut", "leave_one_out", "loo_from_hat"]
