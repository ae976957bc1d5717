// The loops of neighbours of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "neighbors/neighbor_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

NeighborLoops neighbor_loops(const char* name) { return {name}; }

}  // namespace empirisk::EMPIRISK_ISA
