"""Estimators that answer by the rows near a new one."""
