// Coordinate descent: what crosses from bind/ into the loops.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// min over w of half a weighted square plus l1 |w|_1 + l2 |w|^2/2; k coordinates.
struct QuadraticTask {
  std::int64_t k = 0;
  double l1 = 0.0, l2 = 0.0;
  bool positive = false;
  std::int64_t max_epochs = 100;
  double tol_gap = 0.0, tol_move = 0.0;  // stop at this duality gap, or when no coordinate moves its column by more
};

struct QuadraticResult {
  std::int64_t epochs;
  double gap;   // of this sub-problem; infinite without an L1 part or when never computed
  double move;  // the largest |delta_j| |x_j| of the last epoch
  double r_square;  // the squared residual at the end
};

// min over w of half a square plus sum_g strength_g ||w_g||; group g holds the coordinates start_g <= j < start_{g+1}.
struct GroupTask {
  std::int64_t k = 0, groups = 0;
  const std::int64_t* start = nullptr;
  const double* strength = nullptr;
  const double* axes = nullptr;  // matrices V_g by rows, one after the other; null: the axes of the coordinates
  std::int64_t max_epochs = 100;
  double tol_gap = 0.0, tol_move = 0.0;
};

// Columns `index` of X with row curvatures `h` (total `h_total`), about `mean` when centred.
struct ColumnSet {
  const Matrix* x = nullptr;
  const std::int64_t* index = nullptr;
  std::int64_t k = 0;
  const double* h = nullptr;
  const double* mean = nullptr;  // one per column of the set; null: not centred
  double h_total = 0.0;
};

struct CoordinateLoops {
  // Gram form: G (k, k) symmetric with leading dimension ld, q = correlations, r_square = the squared residual.
  QuadraticResult (*descend_gram)(const QuadraticTask&, const double* g, std::int64_t ld, double r_square, double* q, double* w);
  // The same for groups; the block of G of each group is diagonal, in the column form its curvatures along the axes.
  QuadraticResult (*descend_groups)(const GroupTask&, const double* g, std::int64_t ld, double r_square, double* q, double* w);
  // Column form: u_i = h_i r_i and w move together.
  QuadraticResult (*descend_columns)(const QuadraticTask&, const ColumnSet&, const double* curvature, double* u, double* w);
  QuadraticResult (*descend_group_columns)(const GroupTask&, const ColumnSet&, const double* curvature, double* u, double* w);
  // G[i, j] for all i < k and first <= j < k, and its mirror image; dense X only.
  void (*gram_columns)(const ColumnSet&, std::int64_t first, double* g, std::int64_t ld);
  // out_c = x_{index[c]} . u; index null means all columns.
  void (*columns_rmatvec)(const Matrix&, const std::int64_t* index, std::int64_t k, const double* u, double* out);
  // z = sum_c w_c x_{index[c]}
  void (*columns_matvec)(const Matrix&, const std::int64_t* index, std::int64_t k, const double* w, double* z);
};

}  // namespace empirisk
