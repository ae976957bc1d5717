"""Estimators whose scores are linear in the columns, and what they share."""
