// The loops over Mercer kernels of one instruction set.
#pragma once
#include <cstdint>

#include "loops/stochastic.hpp"
#include "support/view.hpp"

namespace empirisk {

enum class KernelForm { linear, gaussian, polynomial, laplacian, matern };

// What of two rows a kernel is of (`absolute`: the sum of absolute differences, else products), the function, and its constants.
struct KernelSpec {
  KernelForm form = KernelForm::linear;
  double numbers[4] = {0.0, 0.0, 0.0, 0.0};
  bool absolute() const { return form == KernelForm::laplacian; }
  // Whether rows may be centred: the kernel is one of differences.
  bool of_differences() const { return form == KernelForm::gaussian || form == KernelForm::matern || absolute(); }
};

// Some rows of two matrices of one number format; `center` is subtracted from both, or null.
struct KernelRows {
  Matrix matrix;
  const std::int64_t* index = nullptr;
  std::int64_t count = 0;
};

// min 1/2 b'K b + p'b over a box and a fixed sum of b, for few variables whose K is at hand: steps along pairs of variables.
struct PairProblem {
  std::int64_t n = 0, stride = 0;  // stride: entries of a row of K, a multiple of 8 and at least n; so long are all arrays
  const float* matrix = nullptr;
  const double *diagonal = nullptr, *low = nullptr, *high = nullptr;
  double *slope = nullptr, *value = nullptr;  // K b + p, and b: both are kept up to date
  double tolerance = 0.0;                     // on the largest violation of the optimality conditions
  std::int64_t most_steps = 0;
};

// How the steps ended. The witness is a pair along which the quadratic form curves down: no kernel does that.
struct PairSteps {
  std::int64_t steps = 0;
  double violation = 0.0;
  std::int64_t witness[2] = {-1, -1};
  double curvature = 0.0;
};

// Stochastic steps first, first + 1, ... on rows whose kernel matrix is at hand, for several problems on the same draws: step t of
// a problem looks at z = score / (alpha t) of the row drawn and adds -l'(y, z) to its weight, which moves the scores of all rows.
struct KernelStochastic {
  RowLoss loss = RowLoss::hinge;
  double parameter = 0.0;
  std::int64_t n = 0, steps = 0, problems = 0;
  const double* matrix = nullptr;       // n x n
  const std::int64_t* order = nullptr;  // the row of each step
  const double* y = nullptr;            // problems x n, as score
  double first = 1.0, alpha = 1.0;
  double* score = nullptr;
  double* added = nullptr;              // problems x steps
};

struct KernelLoops {
  const char* name;
  // out[i, j] = k(a_i, b_j), rows of `stride` entries; float32 or float64 as out_float32 says. With `same`, b is a, and the
  // matrix is exactly symmetric.
  void (*block)(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, bool same, bool out_float32,
                void* out, std::int64_t stride);
  // out[i, c] = sum_j k(a_i, b_j) weights[j, c], without the matrix.
  void (*product)(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, const double* weights,
                  std::int64_t n_columns, double* out);
  // Rows that are packed once and met by many blocks. `release` takes what `pack` gave and the format of its rows.
  void* (*pack)(const KernelSpec& kernel, const KernelRows& b, const double* center);
  void (*release)(void* packed, bool single);
  // out[i][j] = k(a_i, b_j) in float32, for the packed rows b.
  void (*packed_block)(const KernelSpec& kernel, const KernelRows& a, const void* packed, const double* center, float* const* out);
  // f[j] += sum_k steps[k] rows[k][j] for j < n.
  void (*add_rows)(const float* const* rows, const double* steps, std::int64_t n_rows, std::int64_t n, double* f);
  // out[k * stride + l] = rows[k][columns[l]] for k, l < n, and 0 for the other l < stride.
  void (*gather)(const float* const* rows, const std::int64_t* columns, std::int64_t n, std::int64_t stride, float* out);
  PairSteps (*pair_steps)(const PairProblem& problem);
  void (*stochastic)(const KernelStochastic& task);
};

const KernelLoops& kernel_loops();

}  // namespace empirisk
