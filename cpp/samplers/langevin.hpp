// Langevin steps  w' = w - h C grad U(w) + sqrt(2 h) L z,  h = step; adjusted ones are accepted by the ratio of Metropolis and
// Hastings (Roberts and Tweedie, Bernoulli 2, 1996), the others are always taken and sample from a law that is off by O(h).
#pragma once
#include "samplers/transition.hpp"

namespace empirisk {

// -log q(to | from) without constants: |L^-1 (to - from + h C grad)|^2 / (4 h) =  |r + h L' grad|^2 / (4 h),  r = L^-1 (to - from).
inline double backward_energy(const double* r, const double* turned, double h, double sign, std::int64_t d) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < d; ++i) {
    const double v = sign * r[i] + h * turned[i];
    sum += v * v;
  }
  return sum / (4.0 * h);
}

inline Told langevin(Potential& target, Place& at, const Proposal& how, Philox& rng, bool adjusted) {
  const std::int64_t d = target.size;
  const double h = how.step, noise = std::sqrt(2.0 * h);
  std::vector<double> r(d), here(d), there(d), move(d);
  how.metric.turn(at.grad.data(), here.data());
  // In coordinates in which C is the identity the step is r = -h L' grad + sqrt(2 h) z.
  for (std::int64_t i = 0; i < d; ++i) r[i] = -h * here[i] + noise * rng.normal();
  how.metric.shape(r.data(), move.data());
  Place next(d);
  for (std::int64_t i = 0; i < d; ++i) next.w[i] = at.w[i] + move[i];
  next.ask(target);
  how.metric.turn(next.grad.data(), there.data());
  const double forth = backward_energy(r.data(), here.data(), h, 1.0, d), back = backward_energy(r.data(), there.data(), h, -1.0, d);
  const double chance = at_most_one(at.u - next.u + forth - back);
  const double coin = rng.uniform();
  const bool finite = std::isfinite(next.u);
  // An adjusted step that leaves the support is refused like any other, and distorts nothing.
  const bool divergent = finite ? next.u - at.u > most_energy : !adjusted;
  if (finite && (!adjusted || coin < chance)) at = std::move(next);
  return {chance, 1.0, 0.0, divergent};
}

}  // namespace empirisk
