// Stochastic gradient steps over rows in a given order, plain or with reduced variance: what crosses from bind/ into the loop.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

enum class RowLoss {
  absolute, epsilon_insensitive, exponential, gamma, half_squared, hinge, huber, logistic, modified_huber, perceptron, poisson, quantile,
  squared_hinge
};

// A step over the rows B of a batch, in the coordinates x~_j = (x_j - center_j) scale_j, and `unit` for the constant column:
//   v <- prox(v - size * mean_{i in B} (weight_i (l'(y_i, v . x~_i) - anchor_i) x~_i + drift)),
// prox that of size * (l1_j |v_j| + l2_j v_j^2 / 2), v_j >= low_j. Over CSR only the columns that a row stores move, and share_j
// (rows over rows that store j) multiplies drift, l1 and l2 there: their mean over the rows is right. With `whole` every column
// shrinks at every step, stored or not: an L2 penalty alone, of one strength for all columns.
struct StochasticTask {
  RowLoss loss = RowLoss::half_squared;
  double parameter = 0.0;          // of the loss
  const double* y = nullptr;
  const double* weight = nullptr;  // null: ones
  const double* anchor = nullptr;  // null: zeros
  const double* drift = nullptr;   // null: zeros
  const double* center = nullptr;  // null: zeros; dense X only
  const double* scale = nullptr;
  const double* share = nullptr;   // null: ones
  const double *l1 = nullptr, *l2 = nullptr, *low = nullptr;  // null: none
  bool whole = false;              // CSR only: no drift, l1 and low
  bool intercept = false;          // v, drift, l1, l2, low have a last place for the constant column
  double unit = 1.0;
  const std::int64_t* order = nullptr;
  std::int64_t n_order = 0, batch = 1;
  const double* sizes = nullptr;   // of steps `every` at a time
  std::int64_t every = 1;
  double momentum = 0.0;           // dense X only
};

struct StochasticState {
  double* v;
  double* sum;       // gains every iterate at which a gradient was taken; null: not wanted
  double* velocity;  // with momentum
};

struct StochasticLoops {
  void (*steps)(const Matrix&, const StochasticTask&, const StochasticState&);
};

}  // namespace empirisk
