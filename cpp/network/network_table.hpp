// Minibatch steps of a network: what crosses from bind/ into the loop.
#pragma once
#include <cstdint>

#include "loops/stochastic.hpp"
#include "support/view.hpp"

namespace empirisk {

enum class Bend { gelu, identity, leaky_relu, relu, sigmoid, softplus, step, tanh };
enum class Normal { none, batch, layer };  // what sums are normalised over: nothing, the rows of a batch, the units of a row
enum class Rule { adadelta, adagrad, adam, adamw, gradient_step, momentum, nesterov, rmsprop };

// xGEMM of the Fortran interface, as SciPy hands it out.
using Sgemm = void (*)(char*, char*, int*, int*, int*, float*, float*, int*, float*, int*, float*, float*, int*);
using Dgemm = void (*)(char*, char*, int*, int*, int*, double*, double*, int*, double*, int*, double*, double*, int*);

// An update rule of `optimizers/`: first and second are the shares that its means keep, sizes those of the steps.
struct RuleTask {
  Rule rule = Rule::gradient_step;
  double first = 0.0, second = 0.0, eps = 0.0, decay = 0.0;
  const double* sizes = nullptr;
  std::int64_t taken = 0;                        // steps before the first one
  void *memory_one = nullptr, *memory_two = nullptr;  // (parameters), in the format of w
};

// Layer l computes h_l = f_l(h_(l-1) W_l + b_l) from h_0 = (x - center) * inverse; w holds W_1 (inputs, units) row by row,
// b_1, W_2, ... A normalised layer computes f_l(gain u + b_l) from u, its normalised sums h_(l-1) W_l (normalise.hpp), and its
// gains stand after b_l. A step goes along the gradient of
//   mean_{i in batch} weight_i l(y_i, h_depth(x_i)) + l1 ||W||_1 + l2 ||W||^2 / 2.
struct NetworkTask {
  Matrix x;                        // dense or CSR, in the format of w
  const double* center = nullptr;  // null: zeros
  const double* inverse = nullptr;  // null: ones
  const double* y = nullptr;       // (rows, scores), or (rows) of class codes
  const double* weight = nullptr;  // null: ones
  bool softmax = false;
  RowLoss loss = RowLoss::half_squared;
  double parameter = 0.0;
  std::int64_t depth = 0;
  const std::int64_t* widths = nullptr;  // (depth + 1)
  const Bend* bends = nullptr;           // (depth)
  const Normal* normals = nullptr;       // (depth)
  const std::int64_t* order = nullptr;
  std::int64_t n_order = 0, batch = 1;
  double l1 = 0.0, l2 = 0.0;
  double clip = 0.0;     // longest gradient, 0: any
  double dropout = 0.0;  // share of hidden units that a row leaves out
  std::uint64_t seed = 0;
  RuleTask rule;
  void* w = nullptr;
  void* gradient = nullptr;  // null: a buffer of the loop; else the last gradient comes back
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
};

// Where a run ended: the steps that were taken, and the first layer (from 1) that had no finite numbers in the step after; 0: none.
struct NetworkEnd {
  std::int64_t steps = 0, layer = 0;
};

struct NetworkLoops {
  const char* name;
  NetworkEnd (*steps)(const NetworkTask&);
};

const NetworkLoops& network_loops();

}  // namespace empirisk
