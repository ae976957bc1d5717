"""Choosing a class of models by what its richness costs."""

from __future__ import annotations

from empirisk.search.structural.choice import StructuralChoice
from empirisk.search.structural.dictionary import DictionarySelector
from empirisk.search.structural.minimizer import StructuralRiskMinimizer

__all__ = ["DictionarySelector", "StructuralChoice", "StructuralRiskMinimizer"]
