// One transition of a Markov chain: what it is given, what it changes, what it tells.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "samplers/metric.hpp"
#include "samplers/philox.hpp"
#include "samplers/potential.hpp"

namespace empirisk {

// Where a chain stands.
struct Place {
  std::vector<double> w, grad;
  double u = 0.0;

  explicit Place(std::int64_t d) : w(d), grad(d) {}
  void ask(Potential& target) { u = target.value_grad(w.data(), grad.data()); }
};

struct Told {
  double acceptance = 0.0;  // chance that the step, or the mean chance that a point of the path, is accepted
  double steps = 0.0;       // gradients that were asked for
  double depth = 0.0;       // doublings of a path
  bool divergent = false;   // the energy rose by more than `most_energy`: the step is too long for the target there
  double taught = -1.0;     // the chance that the search for the step learns from; below 0: `acceptance`
  double energy = std::numeric_limits<double>::quiet_NaN();  // H where a Hamiltonian path was left, with its momentum
};

struct Proposal {
  double step = 0.1;
  Metric metric;
  std::int64_t most_steps = 10;    // leapfrog steps of a path; of doublings, their largest number
  double length = 0.0;             // of a path of fixed length, in units of the metric
};

constexpr double most_energy = 1000.0;

inline double at_most_one(double log_ratio) { return std::isnan(log_ratio) ? 0.0 : log_ratio < 0.0 ? std::exp(log_ratio) : 1.0; }

}  // namespace empirisk
