// The function of PerceptronLoops, over dense rows or CSR.
#pragma once
#include "loops/dual_ascent_impl.hpp"
#include "loops/perceptron.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Rows>
void perceptron_over(const Rows& rows, i64 p, const PerceptronTask& task, PerceptronState& state) {
  const i64 size = p + i64(task.intercept);
  const auto keep_longest = [&] {
    if (!state.longest || state.run <= state.best) return;
    state.best = state.run;
    for (i64 j = 0; j < size; ++j) state.longest[j] = state.v[j];
  };
  for (i64 k = 0; k < task.n_order; ++k) {
    if (k + 4 < task.n_order) rows.fetch_row(task.order[k + 4]);
    const i64 i = task.order[k];
    const double y = task.y[i], z = rows.dot(i, state.v) + (task.intercept ? state.v[p] : 0.0);
    if (y * z > 0.0) {
      ++state.run;
      continue;
    }
    keep_longest();
    state.run = 0;
    ++state.mistakes;
    const double seen = task.time + double(k);
    rows.add(i, y, state.v);
    if (task.intercept) state.v[p] += y;
    if (!state.lag) continue;
    rows.add(i, y * seen, state.lag);
    if (task.intercept) state.lag[p] += y * seen;
  }
  keep_longest();
}

static void perceptron_pass(const Matrix& x, const PerceptronTask& task, PerceptronState& state) {
  if (x.storage != Storage::dense)
    visit_compressed(x, [&](const auto& view) { perceptron_over(SparseRows{view}, x.cols, task, state); });
  else if (x.is_float32) perceptron_over(DenseRows<float>{dense_view<float>(x)}, x.cols, task, state);
  else perceptron_over(DenseRows<double>{dense_view<double>(x)}, x.cols, task, state);
}

}  // namespace empirisk::EMPIRISK_ISA
