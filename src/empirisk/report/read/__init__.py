"""From a file to a table: every decision about its values is told and can be overridden."""
