"""empirisk: classical machine learning that shows its working."""

__version__ = "0.1.0.dev0"
