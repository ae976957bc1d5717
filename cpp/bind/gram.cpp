// gram, gram_rows, col_moments.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

static nb::object gram_arg(nb::handle x, nb::handle weights, nb::handle center, bool by_row, bool wide) {
  const MatrixArg m = matrix_arg(x);
  if (m.view.storage != Storage::dense) refuse("X must be a dense array");
  const ArrayArg s = array_arg(weights, "weights", {m.view.rows}), c = array_arg(center, "col_center", {m.view.cols});
  const i64 size = by_row ? m.view.rows : m.view.cols;
  const Result result = new_result({size, size});
  {
    const nb::gil_scoped_release release;
    loops().gram(m.view, s.data, c.data, by_row, wide, result.data);
  }
  return result.array;
}

static nb::tuple col_moments(nb::handle x, nb::handle weights) {
  const MatrixArg m = matrix_arg(x);
  const ArrayArg s = array_arg(weights, "weights", {m.view.rows});
  const Result mean = new_result({m.view.cols}), square = new_result({m.view.cols});
  {
    const nb::gil_scoped_release release;
    loops().moments(m.view, s.data, mean.data, square.data);
  }
  return nb::make_tuple(mean.array, square.array);
}

void bind_gram(nb::module_& m) {
  m.def("gram", [](nb::handle x, nb::handle s, nb::handle c, bool wide) { return gram_arg(x, s, c, false, wide); },
        nb::arg("X"), nb::arg("weights") = nb::none(), nb::arg("col_center") = nb::none(), nb::arg("wide") = false);
  m.def("gram_rows", [](nb::handle x, nb::handle s, nb::handle c, bool wide) { return gram_arg(x, s, c, true, wide); },
        nb::arg("X"), nb::arg("weights") = nb::none(), nb::arg("col_center") = nb::none(), nb::arg("wide") = false);
  m.def("col_moments", &col_moments, nb::arg("X"), nb::arg("weights") = nb::none());
}

}  // namespace empirisk
