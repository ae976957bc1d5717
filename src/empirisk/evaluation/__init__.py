"""Scores of models with intervals: samples, folds, metrics, intervals, comparisons."""
