"""Estimators over the functions of a kernel."""
