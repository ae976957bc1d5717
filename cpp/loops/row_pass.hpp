// One read of X for   Z = X W,   R = f(Z) row by row,   G = X' R,   with any of the three left out.
// matvec, rmatvec, Hessian products and the fused loss passes differ in f alone.
#pragma once
#include <cstdint>

namespace empirisk {

// f of a block of rows. z holds the scores of `rows` rows from `first`, right-hand side c at z + c * ld; on return it holds
// what the gradient multiplies. `sums` gathers scalars (a loss, the intercept's gradient); it starts at zero.
struct RowFunction {
  void (*call)(const void* self, std::int64_t first, std::int64_t rows, double* z, std::int64_t ld, double* sums);
  const void* self;
  std::int64_t n_sums;
};

struct RowPass {
  std::int64_t k = 1;           // right-hand sides
  const double* w = nullptr;    // (cols, k) in C order, or null: z is not computed
  double* grad = nullptr;       // (cols, k) in C order, or null: X'R is not computed
  double* sums = nullptr;       // n_sums totals
  RowFunction f{};
};

}  // namespace empirisk
