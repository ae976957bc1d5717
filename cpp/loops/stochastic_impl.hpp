// The function of StochasticLoops, for the value and index types of X.
#pragma once
#include "loops/stochastic_dense.hpp"
#include "loops/stochastic_sparse.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

static void stochastic_steps(const Matrix& x, const StochasticTask& task, const StochasticState& state) {
  if (x.storage != Storage::dense) visit_compressed(x, [&](const auto& view) { SparseStochastic(view, task, state).run(); });
  else if (x.is_float32) DenseStochastic<float>(dense_view<float>(x), task, state).run();
  else DenseStochastic<double>(dense_view<double>(x), task, state).run();
}

}  // namespace empirisk::EMPIRISK_ISA
