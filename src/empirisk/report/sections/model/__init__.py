"""The section on what the model uses."""
