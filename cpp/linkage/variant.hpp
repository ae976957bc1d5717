// The loops that merge clusters into trees, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "linkage/linkage_table.hpp"

namespace empirisk::EMPIRISK_ISA {

LinkageLoops linkage_loops(const char* name) { return {name}; }

}  // namespace empirisk::EMPIRISK_ISA
