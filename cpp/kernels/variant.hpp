// The kernel loops of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "kernels/kernel_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

KernelLoops kernel_loops(const char* name) { return {name}; }

}  // namespace empirisk::EMPIRISK_ISA
