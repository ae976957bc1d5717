// The table of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "loops/column_pass.hpp"
#include "loops/coordinate_impl.hpp"
#include "loops/dense_pass.hpp"
#include "loops/dual_ascent_impl.hpp"
#include "loops/gram.hpp"
#include "loops/moments.hpp"
#include "loops/perceptron_impl.hpp"
#include "loops/resample.hpp"
#include "loops/row_functions_impl.hpp"
#include "loops/sparse_pass.hpp"
#include "loops/stochastic_impl.hpp"
#include "loops/table.hpp"
#include "support/visit.hpp"
#include "trees/bin_codes.hpp"
#include "trees/derivatives.hpp"
#include "trees/histogram_build.hpp"
#include "trees/histogram_cut.hpp"
#include "trees/histogram_rows.hpp"
#include "trees/histogram_subset.hpp"
#include "trees/leaf_pass.hpp"
#include "trees/shap_paths.hpp"

namespace empirisk::EMPIRISK_ISA {

static void gram(const Matrix& x, const double* weights, const double* center, bool by_row, bool wide, double* out) {
  if (!x.is_float32) gram_of<double>(dense_view<double>(x), weights, center, by_row, out);
  else if (wide) gram_of<double>(dense_view<float>(x), weights, center, by_row, out);
  else gram_of<float>(dense_view<float>(x), weights, center, by_row, out);
}

static void moments(const Matrix& x, const double* weights, double* mean, double* square) {
  if (x.storage == Storage::dense) {
    if (x.is_float32) dense_moments(dense_view<float>(x), weights, mean, square);
    else dense_moments(dense_view<double>(x), weights, mean, square);
  } else {
    visit_compressed(x, [&](const auto& view) {
      if (x.storage == Storage::csc) csc_moments(view, weights, mean, square);
      else csr_moments(view, weights, mean, square);
    });
  }
}

static void row_pass(const Matrix& x, const RowPass& pass) {
  if (x.storage == Storage::dense) {
    if (x.is_float32) DensePass<float>(dense_view<float>(x), pass).run();
    else DensePass<double>(dense_view<double>(x), pass).run();
  } else {
    visit_compressed(x, [&](const auto& view) {
      if (x.storage == Storage::csr) csr_pass(view, pass);
      else csc_pass(view, pass);
    });
  }
}

static void codes(const Matrix& x, const CutColumns& in, std::uint8_t* out) {
  if (x.is_float32) bin_columns(dense_view<float>(x), in, out);
  else bin_columns(dense_view<double>(x), in, out);
}

static void exp_all(const double* x, double* out, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = exp_fast(x[i]);
}

static void log1p_all(const double* x, double* out, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = log1p_fast(x[i]);
}

LoopTable loops(const char* name) {
  return {name, gram, moments, row_pass, exp_all, log1p_all,
          linear_loss, softmax_loss, weighted, softmax_curvature, write_scores, read_residuals,
          {sum_column, tally_column},
          {descend_gram, descend_groups, descend_columns, descend_group_columns, gram_columns, columns_rmatvec, columns_matvec},
          {resample_sums, resample_rows},
          {ascend},
          {stochastic_steps},
          {perceptron_pass},
          {codes, transpose_codes},
          {scalar_derivatives, softmax_derivatives},
          {quantise_rows, build_histogram, subtract_histogram, best_cuts, best_subset, partition_rows, sum_leaves, add_leaf_values, add_tree},
          {leaf_pass, shap_pass}};
}

}  // namespace empirisk::EMPIRISK_ISA
