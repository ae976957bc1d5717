// Stochastic dual coordinate ascent: what crosses from bind/ into the loop.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// l_i*(-t) = k t^2/2 - c_i t + e |t| on [low_i, high_i]; or the logistic loss, t/c in [0, 1], c the label.
struct DualRowsView {
  const double *center = nullptr, *low = nullptr, *high = nullptr;
  double tube = 0.0, curvature = 0.0;
  bool logistic = false;
};

// max over t of the dual of  sum_i share_i l_i(x_i.w + b) + l2 |w|^2/2 + pull (b - c)^2/2;  w = sum share_i t_i x_i / l2.
struct DualTask {
  const double* share = nullptr;   // (n) weights that sum to 1; rows of weight 0 are never visited
  const double* square = nullptr;  // (n) |x_i|^2
  double l2 = 0.0;
  double pull = 0.0;  // 0: no intercept
  std::int64_t epochs = 1;
  std::uint64_t seed = 0;
};

// What stays between calls: `order` holds the rows, the first `active` of them not shrunk.
struct DualState {
  double *theta = nullptr, *w = nullptr, *b = nullptr;
  std::int64_t* order = nullptr;
  std::int64_t active = 0;
  double shrink = 0.0;  // rows whose score misses a change by more are shrunk; infinite: none
};

struct DualResult {
  std::int64_t epochs, active;
  double violation, shrink;  // largest |score change| that a step would have liked, of the last epoch
  std::int64_t visits;
};

struct DualLoops {
  DualResult (*ascend)(const Matrix& x, const DualRowsView& rows, const DualTask& task, const DualState& state);
};

}  // namespace empirisk
