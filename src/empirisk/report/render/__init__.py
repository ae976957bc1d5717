"""From ``report.json`` to the page, to Markdown and to files on the disk."""
