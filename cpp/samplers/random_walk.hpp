// Metropolis's random walk: a normal step of covariance step^2 C, accepted with chance min(1, exp(U - U')).
#pragma once
#include "samplers/transition.hpp"

namespace empirisk {

inline Told random_walk(Potential& target, Place& at, const Proposal& how, Philox& rng) {
  const std::int64_t d = target.size;
  std::vector<double> z(d), move(d);
  for (double& v : z) v = rng.normal();
  how.metric.shape(z.data(), move.data());
  Place next(d);
  for (std::int64_t i = 0; i < d; ++i) next.w[i] = at.w[i] + how.step * move[i];
  next.ask(target);
  const double chance = at_most_one(at.u - next.u);
  if (rng.uniform() < chance) at = std::move(next);
  return {chance, 1.0, 0.0, false};
}

}  // namespace empirisk
