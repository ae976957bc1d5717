"""Problems: frozen descriptions of what is minimised."""

from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.problems.potential import Potential

__all__ = ["Evaluation", "LinearProblem", "Potential"]
