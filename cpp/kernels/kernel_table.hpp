// The loops over Mercer kernels of one instruction set.
#pragma once

namespace empirisk {

struct KernelLoops {
  const char* name;
};

const KernelLoops& kernel_loops();

}  // namespace empirisk
