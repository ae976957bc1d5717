// Nesterov's dual averaging of the logarithm of the step, until the mean acceptance is the wanted one (Hoffman and Gelman 2014,
// section 3.2, with their constants).
#pragma once
#include <cmath>

namespace empirisk {

// What is kept between transitions, in the order in which Python holds it.
struct StepSearch {
  double log_step, log_mean_step, error, centre, count;
};

inline void restart(StepSearch& s, double step) { s = {std::log(step), 0.0, 0.0, std::log(10.0 * step), 0.0}; }

inline void learn(StepSearch& s, double acceptance, double wanted) {
  constexpr double gain = 0.05, delay = 10.0, decay = 0.75;
  s.count += 1.0;
  const double share = 1.0 / (s.count + delay);
  s.error = (1.0 - share) * s.error + share * (wanted - acceptance);
  s.log_step = s.centre - std::sqrt(s.count) / gain * s.error;
  const double weight = std::pow(s.count, -decay);
  s.log_mean_step = weight * s.log_step + (1.0 - weight) * s.log_mean_step;
}

}  // namespace empirisk
