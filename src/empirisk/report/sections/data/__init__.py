"""The section on the data."""
