// The kernel loops of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "kernels/kernel_block.hpp"
#include "kernels/kernel_table.hpp"

namespace empirisk::EMPIRISK_ISA {

KernelLoops kernel_loops(const char* name) { return {name, kernel_block, kernel_product}; }

}  // namespace empirisk::EMPIRISK_ISA
