// The loops that search for neighbours of one instruction set.
#pragma once

namespace empirisk {

struct NeighborLoops {
  const char* name;
};

const NeighborLoops& neighbor_loops();

}  // namespace empirisk
