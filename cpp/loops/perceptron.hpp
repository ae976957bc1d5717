// One pass of Rosenblatt's perceptron: what crosses from bind/ into the loop.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// Rows in the given order; where y_i v.(x_i, unit) <= 0: v += y_i (x_i, unit). Time is a count of rows.
struct PerceptronTask {
  const double* y = nullptr;
  const std::int64_t* order = nullptr;
  std::int64_t n_order = 0;
  bool intercept = false;  // v, lag and longest have a last place for the constant column
  double time = 0.0;       // rows seen before this pass
};

struct PerceptronState {
  double* v;
  double* lag;             // gains (rows seen at the update) y_i (x_i, unit): the sum of all v so far is time * v - lag; may be null
  double* longest;         // the v that stood the longest run of rows; may be null
  std::int64_t run = 0;    // rows that v has stood
  std::int64_t best = 0;   // rows that `longest` has stood
  std::int64_t mistakes = 0;
};

struct PerceptronLoops {
  void (*pass)(const Matrix&, const PerceptronTask&, PerceptronState&);
};

}  // namespace empirisk
