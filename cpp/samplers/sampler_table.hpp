// What samplers leave to loops that are compiled once per instruction set.
#pragma once
#include <cstdint>

#include "loops/row_pass.hpp"
#include "support/view.hpp"

namespace empirisk {

// One pass over few rows of a dense matrix whose columns lie side by side:  z = X_B w,  r = f(z),  grad = X_B' r.
struct BatchPass {
  Matrix x;
  const std::uint32_t* rows = nullptr;  // (count) B
  std::int64_t count = 0;
  const double* w = nullptr;     // (cols)
  double* grad = nullptr;        // (cols)
  double* sums = nullptr;        // f.n_sums totals
  RowFunction f{};
};

struct SamplerLoops {
  const char* name;
  void (*ask_rows)(const Matrix& x, const std::uint32_t* rows, std::int64_t count);
  void (*batch_pass)(const BatchPass& pass);
  // Products with a lower triangle L (d, d) in C order:  out = L z  (out may be z), and  out = L' v, another array than v.
  void (*lower_product)(const double* factor, std::int64_t d, const double* z, double* out);
  void (*upper_product)(const double* factor, std::int64_t d, const double* v, double* out);
};

// Rows that are asked for from memory before they are used: rows at random are not foreseen by the processor.
constexpr std::int64_t rows_ahead = 32;

const SamplerLoops& sampler_loops();

}  // namespace empirisk
