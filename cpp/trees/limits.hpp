// What stops the growth of a tree.
#pragma once
#include <cstdint>

namespace empirisk {

struct GrowthLimits {
  std::int64_t max_depth = -1;       // edges below the root; -1: any
  std::int64_t max_leaves = -1;      // a number grows best-first (largest gain; ties: the older node); -1: depth-first
  std::int64_t min_rows_split = 2;   // rows of a node that may be split
  std::int64_t min_rows_leaf = 1;    // rows of each child
  double min_weight_leaf = 0.0;      // total weight (or Hessian) of each child
  double min_gain = 0.0;             // decrease of the total cost, absolute
  std::int64_t max_features = -1;    // candidate columns of a node, drawn anew at each; -1: all
  std::uint64_t seed = 0;            // of those draws, and of random cuts
};

}  // namespace empirisk
