// Kernels as functions of what a tile holds: of the inner product and the norms of two rows, of their squared distance, or of the
// sum of their absolute differences.
#pragma once
#include <cmath>

#include "kernels/kernel_table.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

// ||a - b||^2 from the norms and the product; rounding must not make it negative.
EMPIRISK_INLINE double squared_distance(double sum, double a, double b) {
  const double d = (a + b) - 2.0 * sum;
  return d > 0.0 ? d : 0.0 * d;  // a NaN stays one
}

struct LinearForm {
  explicit LinearForm(const double*) {}
  EMPIRISK_INLINE double operator()(double sum, double, double) const { return sum; }
};

struct GaussianForm {
  double gamma;
  explicit GaussianForm(const double* numbers) : gamma(numbers[0]) {}
  EMPIRISK_INLINE double operator()(double sum, double a, double b) const { return exp_fast(-gamma * squared_distance(sum, a, b)); }
};

// (gamma x.y + constant)^degree, by repeated squaring.
struct PolynomialForm {
  double gamma, constant;
  int degree;
  explicit PolynomialForm(const double* numbers) : gamma(numbers[0]), constant(numbers[1]), degree(int(numbers[2])) {}
  EMPIRISK_INLINE double operator()(double sum, double, double) const {
    double base = gamma * sum + constant, out = 1.0;
    for (int k = degree; k > 0; k >>= 1) {
      if (k & 1) out *= base;
      base *= base;
    }
    return out;
  }
};

// exp(-gamma sum_j |x_j - y_j|); the sum is what the tile of absolute differences holds.
struct LaplacianForm {
  double gamma;
  explicit LaplacianForm(const double* numbers) : gamma(numbers[0]) {}
  EMPIRISK_INLINE double operator()(double sum, double, double) const { return exp_fast(-gamma * sum); }
};

// Matern of smoothness 1/2, 3/2, 5/2 (number 0: 1, 3, 5 halves) with r = distance / length; number 1 is 1/length.
struct MaternForm {
  double rate;
  int halves;
  explicit MaternForm(const double* numbers) : rate(std::sqrt(numbers[0]) * numbers[1]), halves(int(numbers[0])) {}
  EMPIRISK_INLINE double operator()(double sum, double a, double b) const {
    const double r = rate * std::sqrt(squared_distance(sum, a, b));
    const double tail = exp_fast(-r);
    return halves == 1 ? tail : halves == 3 ? (1.0 + r) * tail : (1.0 + r + r * r / 3.0) * tail;
  }
};

// Calls f(form) with the functor of the kernel.
template <class F>
void visit_form(const KernelSpec& kernel, const F& f) {
  switch (kernel.form) {
    case KernelForm::gaussian: f(GaussianForm(kernel.numbers)); break;
    case KernelForm::polynomial: f(PolynomialForm(kernel.numbers)); break;
    case KernelForm::laplacian: f(LaplacianForm(kernel.numbers)); break;
    case KernelForm::matern: f(MaternForm(kernel.numbers)); break;
    case KernelForm::linear: f(LinearForm(kernel.numbers)); break;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
