"""The section on the test part."""
