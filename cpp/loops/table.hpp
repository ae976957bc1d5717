// The loops of one instruction set over rows, columns and trees; `isa/choose.hpp` chooses among the sets. Kernels and neighbours
// have tables of their own (kernels/kernel_table.hpp, neighbors/neighbor_table.hpp).
#pragma once
#include <cstdint>

#include "loops/column_table.hpp"
#include "loops/coordinate.hpp"
#include "loops/dual_ascent.hpp"
#include "loops/perceptron.hpp"
#include "loops/resample_table.hpp"
#include "loops/row_functions.hpp"
#include "loops/row_pass.hpp"
#include "loops/stochastic.hpp"
#include "support/view.hpp"
#include "trees/bin_table.hpp"
#include "trees/derivatives_table.hpp"
#include "trees/histogram_table.hpp"
#include "trees/leaf_table.hpp"

namespace empirisk {

struct LoopTable {
  const char* name;
  void (*gram)(const Matrix& x, const double* weights, const double* center, bool by_row, bool wide, double* out);
  void (*moments)(const Matrix& x, const double* weights, double* mean, double* square);
  void (*row_pass)(const Matrix& x, const RowPass& pass);
  void (*exp)(const double* x, double* out, std::int64_t n);
  void (*log1p)(const double* x, double* out, std::int64_t n);
  // Row functions, for RowPass::f.
  decltype(RowFunction::call) linear_loss, softmax_loss, weighted, softmax_curvature, write_scores, read_residuals;
  ColumnLoops columns;
  CoordinateLoops coordinate;
  ResampleLoops resample;
  DualLoops dual;
  StochasticLoops stochastic;
  PerceptronLoops perceptron;
  BinLoops bins;
  DerivativeLoops derivatives;
  HistogramLoops histogram;
  TreeLoops trees;
};

const LoopTable& loops();

}  // namespace empirisk
