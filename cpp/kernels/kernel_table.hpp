// The loops over Mercer kernels of one instruction set.
#pragma once
#include <cstdint>

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

struct KernelLoops {
  const char* name;
  // out[i, j] = k(a_i, b_j), rows of `stride` entries; float32 or float64 as out_float32 says. With `same`, b is a, and the
  // matrix is exactly symmetric.
  void (*block)(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, bool same, bool out_float32,
                void* out, std::int64_t stride);
  // out[i, c] = sum_j k(a_i, b_j) weights[j, c], without the matrix.
  void (*product)(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, const double* weights,
                  std::int64_t n_columns, double* out);
};

const KernelLoops& kernel_loops();

}  // namespace empirisk
