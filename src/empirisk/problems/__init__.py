"""Problems: frozen descriptions of what is minimised, all behind the contract :class:`Problem`."""

from empirisk.problems.base import Layout, Part, Problem, Rewriting
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.kmeans import KMeansProblem
from empirisk.problems.latent import LatentProblem
from empirisk.problems.linear import LinearProblem
from empirisk.problems.network import NetworkProblem
from empirisk.problems.network_layers import Layers
from empirisk.problems.operators import MatrixOperator
from empirisk.problems.potential import Potential
from empirisk.problems.spectral import SpectralProblem
from empirisk.problems.streamed import StreamedProblem

__all__ = [
    "Evaluation",
    "KMeansProblem",
    "KernelProblem",
    "LatentProblem",
    "Layers",
    "Layout",
    "LinearProblem",
    "MatrixOperator",
    "NetworkProblem",
    "Part",
    "Potential",
    "Problem",
    "Rewriting",
    "SpectralProblem",
    "StreamedProblem",
]


def __dir__() -> list[str]:
    return sorted(__all__)
