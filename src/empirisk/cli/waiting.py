"""How the threads of the command wait for each other: asleep.

Threads of OpenMP spin while they wait, which burns the cores where other programs use them: on two cores
whose load was 10 a boosted fit took 4 s on two such threads and 0.6 s on one, or on two that sleep.  The
library of OpenMP reads how to wait when it is loaded, so this comes before everything that loads it, and
imports nothing of that kind; a way that the user has chosen stays.
"""

import os
import sys

__all__: list[str] = []

if "empirisk._loops" not in sys.modules:  # else it is too late, and a name in the environment would deceive
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
