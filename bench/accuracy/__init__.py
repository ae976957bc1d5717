"""Is our boosting as accurate as the peers'?  Paired differences on real data, at equal settings.

`python -m bench.accuracy` cross-validates ours, LightGBM and scikit-learn's histogram booster on the same
folds and writes docs/maths/boosting-accuracy.md; `--only adult` runs the rows whose name holds "adult".
"""
