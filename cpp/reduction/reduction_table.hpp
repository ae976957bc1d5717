// The loops of one instruction set that reduce dimensions: products of sparse rows and random signs.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct ReductionLoops {
  const char* name;
};

const ReductionLoops& reduction_loops();

}  // namespace empirisk
