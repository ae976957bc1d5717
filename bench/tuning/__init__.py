"""Is our boosting, tuned, as accurate as LightGBM tuned with 50 random trials?  Differences on held-out rows.

`python -m bench.tuning` gives both the same rows and the same number of fits on a fold, scores what they
chose on rows that neither saw, and writes docs/maths/boosting-tuned.md; `--only wine` runs the tables whose
name holds "wine".  LightGBM is an optional peer (`pip install empirisk[bench]`); without it there is nothing
to run.
"""
