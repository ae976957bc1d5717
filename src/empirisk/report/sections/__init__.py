"""The sections of a report: each collects its numbers and says them in words."""
