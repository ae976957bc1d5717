"""Choosing a class of models by what its richness costs."""

from __future__ import annotations

from empirisk.selection.structural.choice import StructuralChoice
from empirisk.selection.structural.dictionary import DictionarySelector
from empirisk.selection.structural.minimizer import StructuralRiskMinimizer

__all__ = ["DictionarySelector", "StructuralChoice", "StructuralRiskMinimizer"]
