"""Complete and quasi-complete separation: does an unpenalised logistic fit have a finite minimiser?"""

from empirisk.problems.separation.find import Separation, find_separation

__all__ = ["Separation", "find_separation"]
