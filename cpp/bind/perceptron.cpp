// perceptron_pass: one pass of the perceptron over rows in a given order.
#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

using Order = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::tuple<i64, i64, i64> perceptron_pass(nb::handle x, nb::handle y, Order order, nb::handle v, nb::handle lag,
                                                 nb::handle longest, bool intercept, double time, i64 run, i64 best) {
  const MatrixArg m = matrix_arg(x);
  const Matrix& view = m.view;
  if (view.storage == Storage::csc) refuse("X must be dense or CSR: rows of CSC cannot be reached");
  if (view.storage == Storage::dense && view.cols > 1 && view.col_stride != 1) refuse("X must have contiguous rows");
  const i64 n = i64(order.size()), k = view.cols + i64(intercept);
  for (i64 i = 0; i < n; ++i)
    if (order.data()[i] < 0 || order.data()[i] >= view.rows) refuse("order names a row that X does not have");
  const ArrayArg ys = array_arg(y, "y", {view.rows});
  if (!ys.data) refuse("y must be an array");
  // Owned by the caller, who holds them during the call.
  PerceptronState state{result_or_out(v, {k}).data, lag.is_none() ? nullptr : result_or_out(lag, {k}).data,
                        longest.is_none() ? nullptr : result_or_out(longest, {k}).data, run, best, 0};
  const PerceptronTask task{ys.data, order.data(), n, intercept, time};
  {
    const nb::gil_scoped_release release;
    loops().perceptron.pass(view, task, state);
  }
  return {state.mistakes, state.run, state.best};
}

void bind_perceptron(nb::module_& m) {
  m.def("perceptron_pass", &perceptron_pass, nb::arg("X"), nb::arg("y"), nb::arg("order"), nb::arg("v"), nb::arg("lag").none(),
        nb::arg("longest").none(), nb::arg("intercept"), nb::arg("time"), nb::arg("run"), nb::arg("best"));
}

}  // namespace empirisk
