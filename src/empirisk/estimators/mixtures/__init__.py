"""Estimators that are mixtures of regressions: rows have targets, and densities are those of the targets."""
