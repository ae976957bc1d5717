// The loops of one instruction set that merge clusters into trees.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct LinkageLoops {
  const char* name;
};

const LinkageLoops& linkage_loops();

}  // namespace empirisk
