"""Formulas: columns, targets and offsets of any estimator, written as statisticians write them."""

from empirisk.estimators.formulas.formula_model import FormulaModel

REGISTRY: dict[str, type] = {"FormulaModel": FormulaModel}

__all__ = ["REGISTRY", "FormulaModel"]
