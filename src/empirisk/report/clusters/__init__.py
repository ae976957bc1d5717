"""Rows that are grouped: which columns take part, how they become numbers, and what is computed of them."""
