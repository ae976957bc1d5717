// Stochastic steps on the weights of rows whose kernel matrix is at hand.
#pragma once
#include "kernels/kernel_table.hpp"
#include "loops/row_slope.hpp"

namespace empirisk::EMPIRISK_ISA {

static void kernel_stochastic_steps(const KernelStochastic& task) {
  for (i64 t = 0; t < task.steps; ++t) {
    const i64 row = task.order[t];
    const double* EMPIRISK_RESTRICT k = task.matrix + row * task.n;
    const double reach = task.alpha * (task.first + double(t));
    for (i64 c = 0; c < task.problems; ++c) {
      double* EMPIRISK_RESTRICT score = task.score + c * task.n;
      const double f = -row_slope(task.loss, task.parameter, task.y[c * task.n + row], score[row] / reach);
      task.added[c * task.steps + t] = f;
      for (i64 j = 0; f != 0.0 && j < task.n; ++j) score[j] += f * k[j];
    }
  }
}

}  // namespace empirisk::EMPIRISK_ISA
