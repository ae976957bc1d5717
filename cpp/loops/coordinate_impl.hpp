// The functions of CoordinateLoops, for the value and index types of X.
#pragma once
#include "loops/column_products.hpp"
#include "loops/descent.hpp"
#include "loops/descent_models.hpp"
#include "loops/group_descent.hpp"
#include "loops/support_krylov.hpp"
#include "loops/support_step.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

// Epochs in batches; when a batch leaves the signs alone, the minimiser over the support is computed directly.
static QuadraticResult descend_gram(const QuadraticTask& task, const double* g, i64 ld, double r_square, double* q, double* w) {
  constexpr i64 batch = 10;
  QuadraticResult out{0, HUGE_VAL, HUGE_VAL, r_square};
  SupportStep direct(task.k);
  const Buffer<double> before(task.k);
  while (true) {
    QuadraticTask part = task;
    part.max_epochs = least(batch, task.max_epochs - out.epochs);
    std::memcpy(before.data(), w, sizeof(double) * std::size_t(task.k));
    GramModel model(g, ld, task.k, out.r_square, q, w);
    const QuadraticResult r = Descent<GramModel>(model, w, part).run();
    out = {out.epochs + r.epochs, r.gap, r.move, r.r_square};
    if (out.gap <= task.tol_gap || out.move <= task.tol_move || out.epochs >= task.max_epochs) return out;
    bool stable = true;
    for (i64 j = 0; stable && j < task.k; ++j)
      stable = before[j] > 0.0 ? w[j] > 0.0 : before[j] < 0.0 ? w[j] < 0.0 : w[j] == 0.0;
    if (stable && direct.run(task, g, ld, q, w)) {
      out.r_square = most(2.0 * model.half_square(w) + model.constant(), 0.0);
    }
  }
}

static QuadraticResult descend_groups(const GroupTask& task, const double* g, i64 ld, double r_square, double* q, double* w) {
  GramModel model(g, ld, task.k, r_square, q, w);
  return GroupDescent<GramModel>(model, w, task).run();
}

// u has one place more than rows: the shift of a centred sparse problem. `run` takes the model of the columns.
template <class Run>
QuadraticResult on_columns(const ColumnSet& set, const double* curvature, double* u, const Run& run) {
  if (set.x->storage == Storage::dense) {
    if (set.x->is_float32) {
      DenseColumns<float> model(set, curvature, u);
      return run(model);
    }
    DenseColumns<double> model(set, curvature, u);
    return run(model);
  }
  QuadraticResult result{};
  visit_compressed(*set.x, [&]<class T, class I>(const CompressedView<T, I>& x) {
    CscColumns<T, I> model(x, set, curvature, u);
    result = run(model);
  });
  for (i64 i = 0; set.mean && i < set.x->rows; ++i) u[i] += u[set.x->rows] * set.h[i];
  u[set.x->rows] = 0.0;
  return result;
}

// Epochs in batches; where the signs have settled, conjugate gradients over the support come between them. Where these and
// the batch after them did not halve the gap, four times as many epochs as were spent come before the next try, then eight.
template <class Model>
QuadraticResult descend_and_solve(Model& model, const QuadraticTask& task, double* w) {
  constexpr i64 batch = 10, iterations = 200;
  QuadraticTask part = task;
  part.max_epochs = least(batch, task.max_epochs);
  QuadraticResult out = Descent<Model>(model, w, part).run();
  const auto ended = [&] { return out.gap <= task.tol_gap || out.move <= task.tol_move || out.epochs >= task.max_epochs; };
  if (ended()) return out;
  SupportKrylov<Model> krylov(model, task);
  krylov.settled(w);
  i64 rest = 0, patience = 2;  // epochs before the next try, for each iteration of one that failed
  while (!ended()) {
    const double gap = out.gap;
    const bool settled = krylov.settled(w), tries = settled && rest <= 0 && out.epochs > batch && task.l1 > 0.0;
    const i64 solved = tries ? krylov.run(w, least(iterations, task.max_epochs - out.epochs)) : 0;
    if (tries) krylov.settled(w);  // what the next batch changes counts alone
    part.max_epochs = most(i64(1), least(batch, task.max_epochs - out.epochs - solved));
    const QuadraticResult r = Descent<Model>(model, w, part).run();
    out = {out.epochs + solved + r.epochs, r.gap, r.move, r.r_square};
    if (tries) patience = out.gap < 0.5 * gap ? 2 : 2 * patience;
    rest = tries && patience > 2 ? patience * solved : rest - r.epochs;
  }
  return out;
}

static QuadraticResult descend_columns(const QuadraticTask& task, const ColumnSet& set, const double* curvature, double* u, double* w) {
  return on_columns(set, curvature, u, [&]<class Model>(Model& model) { return descend_and_solve(model, task, w); });
}

static QuadraticResult descend_group_columns(const GroupTask& task, const ColumnSet& set, const double* curvature, double* u,
                                             double* w) {
  return on_columns(set, curvature, u, [&]<class Model>(Model& model) { return GroupDescent<Model>(model, w, task).run(); });
}

static void gram_columns(const ColumnSet& set, i64 first, double* g, i64 ld) {
  if (set.x->is_float32) GramColumns<float>(dense_view<float>(*set.x), set, first).run(g, ld);
  else GramColumns<double>(dense_view<double>(*set.x), set, first).run(g, ld);
}

static void columns_rmatvec(const Matrix& x, const i64* index, i64 k, const double* u, double* out) {
  if (x.storage != Storage::dense) visit_compressed(x, [&](const auto& v) { csc_columns_rmatvec(v, index, k, u, out); });
  else if (x.is_float32) dense_columns_rmatvec(dense_view<float>(x), index, k, u, out);
  else dense_columns_rmatvec(dense_view<double>(x), index, k, u, out);
}

static void columns_matvec(const Matrix& x, const i64* index, i64 k, const double* w, double* z) {
  if (x.storage != Storage::dense) visit_compressed(x, [&](const auto& v) { csc_columns_matvec(v, index, k, w, z); });
  else if (x.is_float32) dense_columns_matvec(dense_view<float>(x), index, k, w, z);
  else dense_columns_matvec(dense_view<double>(x), index, k, w, z);
}

}  // namespace empirisk::EMPIRISK_ISA
