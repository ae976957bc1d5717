"""Parts of a sample that know nothing of each other."""

from __future__ import annotations

from empirisk.evaluation.splits.parts import Part, Parts
from empirisk.evaluation.splits.three_way import train_validation_test_split

__all__ = ["Part", "Parts", "train_validation_test_split"]
