"""The sections of the report on clusters."""
