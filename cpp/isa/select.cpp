// One line for each family of loops: its table, and the function that returns the chosen one.
#include "isa/choose.hpp"
#include "kernels/kernel_table.hpp"
#include "loops/table.hpp"
#include "neighbors/neighbor_table.hpp"

EMPIRISK_CHOOSE(LoopTable, loops)
EMPIRISK_CHOOSE(KernelLoops, kernel_loops)
EMPIRISK_CHOOSE(NeighborLoops, neighbor_loops)
