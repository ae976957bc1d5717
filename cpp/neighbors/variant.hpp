// The loops of neighbours of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "neighbors/brute.hpp"
#include "neighbors/neighbor_table.hpp"

namespace empirisk::EMPIRISK_ISA {

NeighborLoops neighbor_loops(const char* name) { return {name, nearest_brute}; }

}  // namespace empirisk::EMPIRISK_ISA
