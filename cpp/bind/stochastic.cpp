// stochastic_steps: plain and variance-reduced stochastic gradient steps over rows in a given order; kernel_stochastic_steps.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "kernels/kernel_table.hpp"
#include "loops/table.hpp"

namespace empirisk {

RowLoss row_loss(const std::string& name) {
  static const struct { const char* name; RowLoss loss; } known[] = {
      {"absolute", RowLoss::absolute}, {"epsilon_insensitive", RowLoss::epsilon_insensitive},
      {"exponential", RowLoss::exponential}, {"gamma", RowLoss::gamma}, {"half_squared", RowLoss::half_squared},
      {"hinge", RowLoss::hinge}, {"huber", RowLoss::huber}, {"logistic", RowLoss::logistic},
      {"modified_huber", RowLoss::modified_huber},
      {"perceptron", RowLoss::perceptron}, {"poisson", RowLoss::poisson}, {"quantile", RowLoss::quantile},
      {"squared_hinge", RowLoss::squared_hinge}};
  for (const auto& row : known)
    if (name == row.name) return row.loss;
  refuse("there is no compiled slope of the loss '" + name + "'");
}

using Order = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check_task(const Matrix& x, const Order& order, i64 batch, i64 every, i64 n_sizes, bool centred, double momentum) {
  if (x.storage == Storage::csc) refuse("X must be dense or CSR: rows of CSC cannot be reached");
  if (x.storage == Storage::dense && x.cols > 1 && x.col_stride != 1) refuse("X must have contiguous rows");
  if (x.storage != Storage::dense && (centred || momentum > 0.0)) refuse("sparse X takes neither center nor momentum");
  if (batch < 1 || every < 1) refuse("batch and every must be at least 1");
  const i64 n = i64(order.size()), steps = (n + batch - 1) / batch;
  if (n_sizes * every < steps) refuse("sizes must cover every step");
  for (i64 k = 0; k < n; ++k)
    if (order.data()[k] < 0 || order.data()[k] >= x.rows) refuse("order names a row that X does not have");
}

static void stochastic_steps(nb::handle x, nb::handle y, nb::handle weight, const std::string& loss, double parameter, Order order,
                             nb::handle sizes, nb::handle v, nb::handle sum, nb::handle velocity, nb::handle anchor,
                             nb::handle drift, nb::handle center, nb::handle scale, nb::handle share, nb::handle l1,
                             nb::handle l2, nb::handle low, bool intercept, double unit, i64 batch, i64 every, double momentum,
                             bool whole) {
  const MatrixArg m = matrix_arg(x);
  const i64 n = m.view.rows, p = m.view.cols, k = p + i64(intercept);
  const i64 n_sizes = i64(any_array(sizes, "sizes").size());
  check_task(m.view, order, batch, every, n_sizes, !center.is_none(), momentum);
  const ArrayArg ys = array_arg(y, "y", {n}), ws = array_arg(weight, "weight", {n}), as = array_arg(anchor, "anchor", {n});
  const ArrayArg ds = array_arg(drift, "drift", {k}), cs = array_arg(center, "center", {p}), ss = array_arg(scale, "scale", {p});
  const ArrayArg hs = array_arg(share, "share", {p}), l1s = array_arg(l1, "l1", {k}), l2s = array_arg(l2, "l2", {k});
  const ArrayArg lows = array_arg(low, "low", {k}), gs = array_arg(sizes, "sizes", {n_sizes});
  if (!ys.data) refuse("y must be an array");
  if (whole && !(drift.is_none() && l1.is_none() && low.is_none())) refuse("whole takes neither drift nor l1 nor low");
  if (momentum > 0.0 && velocity.is_none()) refuse("momentum needs velocity");
  // Owned by the caller, who holds them during the call.
  const StochasticState state{result_or_out(v, {k}).data, sum.is_none() ? nullptr : result_or_out(sum, {k}).data,
                              velocity.is_none() ? nullptr : result_or_out(velocity, {k}).data};
  const StochasticTask task{row_loss(loss), parameter, ys.data, ws.data, as.data, ds.data, cs.data, ss.data, hs.data, l1s.data,
                            l2s.data, lows.data, whole, intercept, unit, order.data(), i64(order.size()), batch, gs.data, every, momentum};
  const nb::gil_scoped_release release;
  loops().stochastic.steps(m.view, task, state);
}

static void kernel_stochastic_steps(nb::handle matrix, nb::handle y, Order order, const std::string& loss, double parameter,
                                    double alpha, i64 first, nb::handle score, nb::handle added) {
  const AnyArray labels = any_array(y, "y");
  if (labels.ndim() != 2) refuse("y must have a row for each problem");
  const i64 problems = i64(labels.shape(0)), n = i64(labels.shape(1)), steps = i64(order.size());
  if (first < 1 || !(alpha > 0.0)) refuse("first must be at least 1 and alpha above 0");
  for (i64 t = 0; t < steps; ++t)
    if (order.data()[t] < 0 || order.data()[t] >= n) refuse("order names a row that matrix does not have");
  const ArrayArg ks = array_arg(matrix, "matrix", {n, n}), ys = array_arg(y, "y", {problems, n});
  const KernelStochastic task{row_loss(loss), parameter, n, steps, problems, ks.data, order.data(), ys.data, double(first), alpha,
                              result_or_out(score, {problems, n}).data, result_or_out(added, {problems, steps}).data};
  const nb::gil_scoped_release release;
  kernel_loops().stochastic(task);
}

void bind_stochastic(nb::module_& m) {
  m.def("stochastic_steps", &stochastic_steps, nb::arg("X"), nb::arg("y"), nb::arg("weight").none(), nb::arg("loss"),
        nb::arg("parameter"), nb::arg("order"), nb::arg("sizes"), nb::arg("v"), nb::kw_only(), nb::arg("sum") = nb::none(),
        nb::arg("velocity") = nb::none(), nb::arg("anchor") = nb::none(), nb::arg("drift") = nb::none(),
        nb::arg("center") = nb::none(), nb::arg("scale") = nb::none(), nb::arg("share") = nb::none(), nb::arg("l1") = nb::none(),
        nb::arg("l2") = nb::none(), nb::arg("low") = nb::none(), nb::arg("intercept") = false, nb::arg("unit") = 1.0,
        nb::arg("batch") = 1, nb::arg("every") = 1, nb::arg("momentum") = 0.0, nb::arg("whole") = false);
  m.def("kernel_stochastic_steps", &kernel_stochastic_steps, nb::arg("matrix"), nb::arg("y"), nb::arg("order"), nb::arg("loss"),
        nb::arg("parameter"), nb::arg("alpha"), nb::arg("first"), nb::arg("score"), nb::arg("added"));
}

}  // namespace empirisk
