// The loops of one instruction set of clusters: rows and their nearest centres, seeds, medoids.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct ClusterLoops {
  const char* name;
};

const ClusterLoops& cluster_loops();

}  // namespace empirisk
