"""Prediction intervals and sets with a stated coverage, for any model."""
