"""Does a fit without a penalty have a finite minimiser?  Separable classes, and zeros that run off."""

from empirisk.problems.separation.find import Separation, find_separation
from empirisk.problems.separation.zeros import only_zeros, zeros_run_off

__all__ = ["Separation", "find_separation", "only_zeros", "zeros_run_off"]
