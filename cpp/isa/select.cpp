// One line for each family of loops: its table, and the function that returns the chosen one.
#include "clusters/cluster_table.hpp"
#include "isa/choose.hpp"
#include "kernels/kernel_table.hpp"
#include "linkage/linkage_table.hpp"
#include "loops/table.hpp"
#include "mixtures/mixture_table.hpp"
#include "neighbors/neighbor_table.hpp"
#include "network/network_table.hpp"
#include "reduction/reduction_table.hpp"
#include "samplers/sampler_table.hpp"

EMPIRISK_CHOOSE(LoopTable, loops)
EMPIRISK_CHOOSE(KernelLoops, kernel_loops)
EMPIRISK_CHOOSE(NeighborLoops, neighbor_loops)
EMPIRISK_CHOOSE(ClusterLoops, cluster_loops)
EMPIRISK_CHOOSE(LinkageLoops, linkage_loops)
EMPIRISK_CHOOSE(MixtureLoops, mixture_loops)
EMPIRISK_CHOOSE(ReductionLoops, reduction_loops)
EMPIRISK_CHOOSE(NetworkLoops, network_loops)
EMPIRISK_CHOOSE(SamplerLoops, sampler_loops)
