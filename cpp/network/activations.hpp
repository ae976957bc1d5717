// Activations of layers with their slopes: the functors of the rows of `problems/activations`.
#pragma once
#include <cmath>

#include "network/network_table.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

// Each sets h = f(a) and s = f'(a), in double precision.
struct IdentityBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const { h = a, s = 1.0; }
};

struct ReluBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    s = a > 0.0 ? 1.0 : 0.0;
    h = a < 0.0 ? 0.0 : a;  // a NaN stays one
  }
};

struct LeakyReluBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    s = a > 0.0 ? 1.0 : 0.01;
    h = a * s;
  }
};

struct StepBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const { h = a > 0.0 ? 1.0 : 0.0, s = 0.0; }
};

EMPIRISK_INLINE double size_of(double a) { return a < 0.0 ? -a : a; }

struct SigmoidBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    const double e = exp_fast(-size_of(a)), q = 1.0 / (1.0 + e);
    h = a < 0.0 ? e * q : q;
    s = e * q * q;
  }
};

struct TanhBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    const double e = exp_fast(-2.0 * size_of(a)), q = 1.0 / (1.0 + e), t = (1.0 - e) * q;
    h = a < 0.0 ? -t : t;
    s = 4.0 * e * q * q;
  }
};

struct SoftplusBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    const double e = exp_fast(-size_of(a)), q = 1.0 / (1.0 + e);
    h = (a < 0.0 ? 0.0 : a) + log1p_fast(e);
    s = a < 0.0 ? e * q : q;
  }
};

struct GeluBend {
  EMPIRISK_INLINE void operator()(double a, double& h, double& s) const {
    const double below = 0.5 * std::erfc(-0.70710678118654752440 * a);
    h = a * below;
    s = below + a * 0.39894228040143267794 * exp_fast(-0.5 * a * a);
  }
};

// Calls f with the functor.
template <class F>
void with_bend(Bend bend, F&& f) {
  switch (bend) {
    case Bend::gelu: return f(GeluBend{});
    case Bend::identity: return f(IdentityBend{});
    case Bend::leaky_relu: return f(LeakyReluBend{});
    case Bend::relu: return f(ReluBend{});
    case Bend::sigmoid: return f(SigmoidBend{});
    case Bend::softplus: return f(SoftplusBend{});
    case Bend::step: return f(StepBend{});
    case Bend::tanh: return f(TanhBend{});
  }
}

}  // namespace empirisk::EMPIRISK_ISA
