"""Decision trees and sums of them: growth, structure, pruning, explanation.  Arrays in, arrays out."""

from empirisk.trees import criteria
from empirisk.trees.structure import Trees

__all__ = ["Trees", "criteria"]
