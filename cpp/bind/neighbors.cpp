// nearest_rows.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "neighbors/neighbor_table.hpp"

namespace empirisk {

static nb::tuple nearest_rows(nb::handle x, nb::handle q, i64 k, nb::handle left_out, nb::handle center) {
  const MatrixArg rows = matrix_arg(x, "X"), queries = matrix_arg(q, "Q");
  const bool sparse = rows.view.storage == Storage::csr;
  if (rows.view.storage == Storage::csc || queries.view.storage != rows.view.storage) refuse("X and Q must both be dense, or both CSR");
  if (rows.view.cols != queries.view.cols) refuse("X and Q must have the same number of columns");
  if (rows.view.is_float32 != queries.view.is_float32) refuse("X and Q must have the same number format");
  NearestProblem problem;
  problem.x = rows.view;
  problem.q = queries.view;
  problem.k = k;
  nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu> absent;
  if (!left_out.is_none()) {
    if (!nb::try_cast(left_out, absent, false) || i64(absent.shape(0)) != queries.view.rows) refuse("left_out must be int64, one for each query");
    problem.left_out = absent.data();
  }
  if (k < 1 || k > rows.view.rows - (problem.left_out ? 1 : 0)) refuse("k must be at least 1 and at most the number of rows that may be found");
  const ArrayArg middle = array_arg(center, "center", {rows.view.cols});
  if (middle.data && sparse) refuse("CSR rows are not centred");
  problem.center = middle.data;
  const Result distance = new_result({queries.view.rows, k});
  const nb::object index = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(queries.view.rows, k), "int64");
  problem.distance = distance.data;
  problem.index = static_cast<i64*>(nb::cast<nb::ndarray<nb::device::cpu>>(index).data());
  {
    const nb::gil_scoped_release release;
    neighbor_loops().nearest(problem);
  }
  return nb::make_tuple(distance.array, index);
}

void bind_neighbors(nb::module_& m) {
  m.def("nearest_rows", &nearest_rows, nb::arg("X"), nb::arg("Q"), nb::arg("k"), nb::arg("left_out") = nb::none(),
        nb::arg("center") = nb::none());
}

}  // namespace empirisk
