"""The section on the data: where they come from, what the columns hold, and how rows were divided."""
