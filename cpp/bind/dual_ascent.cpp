// Dual coordinate ascent over rows. A call is bounded by its number of epochs, so that an interrupt is noticed between calls.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

using OrderArg = nb::ndarray<i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check_rows(const Matrix& x) {
  if (x.storage == Storage::csc) refuse("X must be dense or CSR: rows of CSC cannot be reached");
  if (x.storage == Storage::dense && x.cols > 1 && x.col_stride != 1) refuse("X must have contiguous rows");
}

static void check_order(const OrderArg& order, i64 active, i64 n) {
  if (active < 0 || active > i64(order.size())) refuse("active must lie between 0 and the length of order");
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order.data()[k] < 0 || order.data()[k] >= n) refuse("order names a row that X does not have");
}

static nb::tuple dual_ascend(nb::handle x, nb::handle center, nb::handle low, nb::handle high, double tube, double curvature,
                             bool logistic, nb::handle share, nb::handle square, double l2, double pull, nb::handle theta,
                             nb::handle w, nb::handle b, OrderArg order, i64 active, double shrink, i64 epochs,
                             std::uint64_t seed) {
  const MatrixArg m = matrix_arg(x);
  check_rows(m.view);
  const i64 n = m.view.rows, p = m.view.cols;
  check_order(order, active, n);
  if (!(l2 > 0.0)) refuse("l2 must be > 0");
  const ArrayArg cs = array_arg(center, "center", {n}), ls = array_arg(low, "low", {n}), hs = array_arg(high, "high", {n}),
                 ss = array_arg(share, "share", {n}), qs = array_arg(square, "square", {n});
  if (!cs.data || !ls.data || !hs.data || !ss.data || !qs.data) refuse("center, low, high, share and square must be arrays");
  // Owned by the caller, who holds them during the call.
  double *ts = result_or_out(theta, {n}).data, *ws = result_or_out(w, {p}).data, *bs = result_or_out(b, {1}).data;
  const DualRowsView rows{cs.data, ls.data, hs.data, tube, curvature, logistic};
  const DualTask task{ss.data, qs.data, l2, pull, epochs, seed};
  const DualState state{ts, ws, bs, order.data(), active, shrink};
  DualResult r;
  {
    const nb::gil_scoped_release release;
    r = loops().dual.ascend(m.view, rows, task, state);
  }
  return nb::make_tuple(r.epochs, r.active, r.violation, r.visits);
}

void bind_dual_ascent(nb::module_& m) {
  m.def("dual_ascend", &dual_ascend, nb::arg("X"), nb::arg("center"), nb::arg("low"), nb::arg("high"), nb::arg("tube"),
        nb::arg("curvature"), nb::arg("logistic"), nb::arg("share"), nb::arg("square"), nb::arg("l2"), nb::arg("pull"),
        nb::arg("theta"), nb::arg("w"), nb::arg("b"), nb::arg("order"), nb::arg("active"), nb::arg("shrink"), nb::arg("epochs"),
        nb::arg("seed"));
}

}  // namespace empirisk
