// The kernel loops of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "kernels/kernel_block.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/packed_rows.hpp"
#include "kernels/pair_steps.hpp"
#include "kernels/stochastic_steps.hpp"

namespace empirisk::EMPIRISK_ISA {

KernelLoops kernel_loops(const char* name) {
  return {name, kernel_block, kernel_product, pack_for_blocks, release_packed, packed_block, add_rows, gather, pair_steps, kernel_stochastic_steps};
}

}  // namespace empirisk::EMPIRISK_ISA
