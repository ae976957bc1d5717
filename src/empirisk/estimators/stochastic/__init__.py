"""Linear estimators that take stochastic gradient steps, in memory or in a stream."""
