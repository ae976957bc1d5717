"""Fewer columns that keep what matters: planes, principal components, random projections."""
