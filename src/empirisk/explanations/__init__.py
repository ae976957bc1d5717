"""What a fitted model does with its columns: Shapley values, partial dependence, interactions.

Sums of trees are explained on the scale on which they add up: boosted trees on the raw score (the log-odds of
a classifier), forests and single trees on the mean or probability.  Other models are explained by what they
predict: probabilities of classifiers, means of regressions.
"""

from empirisk.explanations.anova import Anova, anova
from empirisk.explanations.decision_regions import DecisionRegions, decision_regions
from empirisk.explanations.interaction_strength import InteractionStrength, interaction_strength
from empirisk.explanations.kernel_matrix import KernelMatrix, kernel_matrix
from empirisk.explanations.margins import Margins, margins
from empirisk.explanations.partial_dependence import PartialDependence, partial_dependence
from empirisk.explanations.regression_table import RegressionTable, regression_table
from empirisk.explanations.tree_shap import TreeShap, tree_shap

__all__ = [
    "Anova",
    "DecisionRegions",
    "InteractionStrength",
    "KernelMatrix",
    "Margins",
    "PartialDependence",
    "RegressionTable",
    "TreeShap",
    "anova",
    "decision_regions",
    "interaction_strength",
    "kernel_matrix",
    "margins",
    "partial_dependence",
    "regression_table",
    "tree_shap",
]
