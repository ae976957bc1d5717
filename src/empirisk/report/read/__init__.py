"""From a file to a table: every decision about its values is told and can be overridden."""

from empirisk.report.read.read import read_table

__all__ = ["read_table"]
