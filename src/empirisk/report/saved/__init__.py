"""Model files: what they hold, how they are checked, and what is done with them later."""
