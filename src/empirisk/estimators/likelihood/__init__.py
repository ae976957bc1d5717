"""Estimators by maximum likelihood whose rows no single score explains, on one base."""
