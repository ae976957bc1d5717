// Update rules, the functors of `optimizers/`: each takes the gradient g of one parameter w, and its two numbers of memory.
#pragma once
#include <cmath>

#include "network/network_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

// The numbers of one step, in the format of the parameters.
template <class T>
struct StepNumbers {
  T size, first, second, eps, decay, rest;
};

template <class T>
StepNumbers<T> step_numbers(const RuleTask& task, i64 step) {
  const double t = double(task.taken + step + 1);
  double size = task.sizes[step], rest = 1.0;
  const double decay = size * task.decay;
  if (task.rule == Rule::adam || task.rule == Rule::adamw) {
    size /= 1.0 - std::pow(task.first, t);
    rest = 1.0 / std::sqrt(1.0 - std::pow(task.second, t));
  }
  return {T(size), T(task.first), T(task.second), T(task.eps), T(decay), T(rest)};
}

template <class T, class F>
EMPIRISK_INLINE void each_parameter(i64 n, T* EMPIRISK_RESTRICT w, const T* EMPIRISK_RESTRICT g, T* EMPIRISK_RESTRICT u,
                                    T* EMPIRISK_RESTRICT v, const F& f) {
  for (i64 i = 0; i < n; ++i) f(w[i], g[i], u[i], v[i]);
}

template <class T, class F>
EMPIRISK_INLINE void each_parameter(i64 n, T* EMPIRISK_RESTRICT w, const T* EMPIRISK_RESTRICT g, T* EMPIRISK_RESTRICT u, const F& f) {
  for (i64 i = 0; i < n; ++i) f(w[i], g[i], u[i]);
}

// n parameters from `at` on.
template <class T>
void apply_rule(const RuleTask& task, const StepNumbers<T>& c, i64 at, i64 n, T* w, const T* g) {
  T* const u = task.memory_one ? static_cast<T*>(task.memory_one) + at : nullptr;
  T* const v = task.memory_two ? static_cast<T*>(task.memory_two) + at : nullptr;
  w += at, g += at;
  const T a = c.first, b = c.second, size = c.size, eps = c.eps;
  switch (task.rule) {
    case Rule::gradient_step:
      for (i64 i = 0; i < n; ++i) w[i] -= size * g[i];
      return;
    case Rule::momentum:
      return each_parameter(n, w, g, u, [=](T& w, T g, T& u) { u = a * u + size * g, w -= u; });
    case Rule::nesterov:
      return each_parameter(n, w, g, u, [=](T& w, T g, T& u) { u = a * u + size * g, w -= a * u + size * g; });
    case Rule::adagrad:
      return each_parameter(n, w, g, u, [=](T& w, T g, T& u) { u += g * g, w -= size * g / (std::sqrt(u) + eps); });
    case Rule::rmsprop:
      return each_parameter(n, w, g, u, [=](T& w, T g, T& u) {
        u = a * u + (T(1) - a) * g * g;
        w -= size * g / (std::sqrt(u) + eps);
      });
    case Rule::adadelta:
      return each_parameter(n, w, g, u, v, [=](T& w, T g, T& u, T& v) {
        u = a * u + (T(1) - a) * g * g;
        const T d = -std::sqrt((v + eps) / (u + eps)) * g;
        v = a * v + (T(1) - a) * d * d;
        w += size * d;
      });
    case Rule::adam:
    case Rule::adamw: {
      const T rest = c.rest, decay = c.decay;  // the decay of Adam is 0
      return each_parameter(n, w, g, u, v, [=](T& w, T g, T& u, T& v) {
        u = a * u + (T(1) - a) * g;
        v = b * v + (T(1) - b) * g * g;
        w -= size * u / (std::sqrt(v) * rest + eps) + decay * w;
      });
    }
  }
}

}  // namespace empirisk::EMPIRISK_ISA
