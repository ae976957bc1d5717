"""Simulated coverage of the intervals of `empirisk.selection`, and the table that the documentation shows.

    python -m bench.coverage                 every case, writes docs/maths/interval-coverage.md
    python -m bench.coverage --only auc      measures the cases whose name holds "auc" anew
    python -m bench.coverage --scale 0.1     a tenth of the samples, printed only

Every case draws a sample, asks the public function for its 95 % interval and looks whether the truth,
known in closed form or by quadrature, lies in it. A refusal ("cannot tell") is counted by itself, never
as covered.
"""

from bench.coverage import crossed, held_out, scored
from bench.coverage.harness import CASES, Case, Result, measure

__all__ = ["CASES", "Case", "Result", "crossed", "held_out", "measure", "scored"]
