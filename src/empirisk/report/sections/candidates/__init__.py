"""The section on the candidates."""
