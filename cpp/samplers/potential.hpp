// What every transition asks of its target: U and its gradient at a point. The density that is sampled is proportional to exp(-U).
#pragma once
#include <cstdint>

namespace empirisk {

struct Potential {
  explicit Potential(std::int64_t d) : size(d) {}
  virtual ~Potential() = default;
  // Where U is not finite the point lies outside of the support; the gradient is not used there.
  virtual double value_grad(const double* w, double* grad) = 0;

  std::int64_t size;
};

}  // namespace empirisk
