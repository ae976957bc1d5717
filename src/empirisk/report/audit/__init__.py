"""Checks of a table before anything is fitted: what it holds, what repeats, what gives the target away."""
