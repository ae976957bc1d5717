// Stochastic steps on the weights of rows, for the draws of one block whose kernel matrix is at hand.
#pragma once
#include "kernels/kernel_table.hpp"
#include "loops/row_slope.hpp"

namespace empirisk::EMPIRISK_ISA {

static void kernel_stochastic_steps(const KernelStochastic& task) {
  for (i64 c = 0; c < task.columns; ++c) {
    const double* y = task.y + c * task.n;
    double* EMPIRISK_RESTRICT score = task.score + c * task.n;
    double* EMPIRISK_RESTRICT added = task.added + c * task.n;
    for (i64 t = 0; t < task.n; ++t) {
      const double f = -row_slope(task.loss, task.parameter, y[t], score[t] / (task.alpha * (task.first + double(t))));
      added[t] = f;
      if (f == 0.0) continue;
      const double* EMPIRISK_RESTRICT k = task.matrix + t * task.n;
      for (i64 j = t + 1; j < task.n; ++j) score[j] += f * k[j];
    }
  }
}

}  // namespace empirisk::EMPIRISK_ISA
