"""What a computation returns: status, certificate, solution, bound, estimate, finding.

These nouns are the spine that every model shares; they import nothing else of the package.
"""

from empirisk.results.certificate import Certificate, Kind, unconfirmed
from empirisk.results.estimate import Estimate
from empirisk.results.finding import Finding
from empirisk.results.risk_certificate import Assumption, RiskCertificate
from empirisk.results.solution import ConvergenceError, Solution, Status, TracePoint

__all__ = [
    "Assumption",
    "Certificate",
    "ConvergenceError",
    "Estimate",
    "Finding",
    "Kind",
    "RiskCertificate",
    "Solution",
    "Status",
    "TracePoint",
    "unconfirmed",
]


def __dir__() -> list[str]:
    return sorted(__all__)
