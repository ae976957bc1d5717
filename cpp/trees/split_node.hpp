// What the search for a split knows of its node, and what it finds.
#pragma once
#include <cstdint>
#include <limits>

namespace empirisk {

enum class SplitKind { squared, newton, poisson, entropy, error };

// Two moments of the node, minus its cost up to terms that cancel, and the limits on its children.
struct SplitNode {
  SplitKind kind = SplitKind::squared;
  double a = 0.0, b = 0.0, score = 0.0;
  double l2 = 0.0;          // Newton
  double factor = 1.0;      // squared: 2 for Gini
  double min_weight = 0.0;  // of each child
  int sign = 0;             // monotonic constraint of the column in question
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // values of the children
};

using SplitGains = double (*)(const SplitNode&, const double* a, const double* b, std::int64_t m, double* g);

// The best cut so far. A gain counts as larger if it is so by more than `slack`, the size of rounding: ties go to the first.
struct Split {
  double gain = -std::numeric_limits<double>::infinity();
  std::int32_t column = -1;
  bool missing_left = false;
  std::int64_t cut = 0;  // entries before the cut: of a number's order, or of the order of the categories
  int ordering = 0;      // K classes: which order of the categories; exhaustive search: the set itself is `cut`
  double left_value = 0.0, right_value = 0.0;

  bool found() const { return column >= 0; }
};

}  // namespace empirisk
