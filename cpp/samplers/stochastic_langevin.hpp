// Langevin steps with gradients of few rows:  w' = w - h C g(w) + sqrt(2 h) L z  (Welling and Teh, ICML 2011).
#pragma once
#include "samplers/metric.hpp"
#include "samplers/minibatch.hpp"

namespace empirisk {

struct StochasticRun {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint64_t first = 0;
  std::int64_t count = 0, thin = 1, size = 0;
  bool replace = true;
  Metric metric;
  const double* sizes = nullptr;  // (count) steps
  double* w = nullptr;            // (d) where it stands
  double* draws = nullptr;        // (count / thin, d)
  double* lost = nullptr;         // (count / thin) 1 from the step on that left the finite numbers, where the chain stays
};

template <class T, class I>
void run_stochastic(const LinearTarget& target, const Anchor& anchor, const StochasticRun& run) {
  const std::int64_t d = run.metric.d;
  BatchRows rows(target.x.rows, run.size, run.replace, run.seed, run.chain);
  Minibatch<T, I> batch(target, anchor, run.size);
  std::vector<double> grad(d), normals(d), turned(d), move(d), next(d);
  bool lost = false;
  for (std::int64_t i = 0; i < run.count; ++i) {
    const std::uint64_t step = run.first + std::uint64_t(i);
    const double h = run.sizes[i], noise = std::sqrt(2.0 * h);
    Philox rng(run.seed, run.chain, step);
    const std::uint32_t* drawn = rows.of(step, rng);
    batch.ask(drawn);
    for (double& v : normals) v = noise * rng.normal();
    batch.estimate(drawn, run.w, grad.data());
    run.metric.turn(grad.data(), turned.data());
    for (std::int64_t j = 0; j < d; ++j) turned[j] = normals[j] - h * turned[j];
    run.metric.shape(turned.data(), move.data());
    bool finite = true;
    for (std::int64_t j = 0; j < d; ++j) {
      next[j] = run.w[j] + move[j];
      finite = finite && std::isfinite(next[j]);
    }
    lost = lost || !finite;
    if (finite) std::copy(next.begin(), next.end(), run.w);
    if ((i + 1) % run.thin) continue;
    std::copy(run.w, run.w + d, run.draws + i / run.thin * d);
    run.lost[i / run.thin] = lost ? 1.0 : 0.0;
  }
}

}  // namespace empirisk
