"""Coefficient tables: the numbers where inference is valid, the reason where it is not."""

from empirisk.estimators.summary_linear import summarise_linear
from empirisk.estimators.summary_logistic import summarise_logistic
from empirisk.estimators.summary_table import Fact, Summary

__all__ = ["Fact", "Summary", "summarise_linear", "summarise_logistic"]
