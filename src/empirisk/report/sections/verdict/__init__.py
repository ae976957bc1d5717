"""The first screen of the report."""
