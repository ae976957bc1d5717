// The loops that reduce dimensions: products of sparse rows and random signs, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "reduction/reduction_table.hpp"

namespace empirisk::EMPIRISK_ISA {

ReductionLoops reduction_loops(const char* name) { return {name}; }

}  // namespace empirisk::EMPIRISK_ISA
