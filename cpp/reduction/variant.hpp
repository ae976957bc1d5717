// The loops that reduce dimensions, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "reduction/hadamard.hpp"
#include "reduction/reduction_table.hpp"

namespace empirisk::EMPIRISK_ISA {

ReductionLoops reduction_loops(const char* name) { return {name, signed_hadamard}; }

}  // namespace empirisk::EMPIRISK_ISA
