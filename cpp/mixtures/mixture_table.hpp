// The loops of one instruction set of mixtures: expected statistics of the parts.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct MixtureLoops {
  const char* name;
};

const MixtureLoops& mixture_loops();

}  // namespace empirisk
