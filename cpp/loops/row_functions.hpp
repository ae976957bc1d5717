// What the passes do with the scores of a block of rows: the closed list of losses, and the plain products.
// Plain structs; null pointers mean "weights are one", "not wanted".
#pragma once
#include <cstdint>

namespace empirisk {

// The losses of loops/loss_rows.hpp, by the names that Python passes.
enum class ScalarLoss {
  half_squared, logistic, bernoulli, huber, squared_hinge, exponential, poisson, gamma, inverse_gaussian, tweedie,
  negative_binomial, modified_huber
};
constexpr const char* scalar_loss_names[] = {"half_squared", "logistic", "bernoulli",        "huber",   "squared_hinge",    "exponential",
                                             "poisson",      "gamma",    "inverse_gaussian", "tweedie", "negative_binomial", "modified_huber"};

// f of linear_pass: z + b + o -> s l'(y, z + b + o); sums = (sum s l, sum s l').
struct LinearLoss {
  ScalarLoss loss;
  double parameter;  // of the loss, where it has one
  const double* y;
  const double* s;
  const double* offset;
  double b;
  double* z_out;  // z + b
  double* first_out;   // l', without the weights
  double* second_out;  // l'', without the weights
};

// f of softmax_pass: z + b -> s (p - e_y); sums = (sum s l, sum s (p - e_y)).
struct SoftmaxLoss {
  const std::int64_t* y;
  const double* s;
  const double* b;
  std::int64_t k;
  double* z_out;  // (n, k)
  double* p_out;  // (n, k)
};

// z + v_b -> d (z + v_b); sums = (sum d (z + v_b)).
struct Weighted {
  const double* d;
  double v_b;
};

// Z + v_b -> s p (Z + v_b - p . (Z + v_b)) row by row; sums = its column sums.
struct SoftmaxCurvature {
  const double* p;  // (n, k)
  const double* s;
  const double* v_b;
  std::int64_t k;
};

struct Scores {  // writes z + b
  const double* b;
  double* out;  // (n, k)
  std::int64_t k;
};

struct Residuals {  // reads u (n, k)
  const double* u;
  std::int64_t k;
};

}  // namespace empirisk
