"""The section on whether the model is still learning."""
