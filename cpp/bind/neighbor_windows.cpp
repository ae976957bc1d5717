// window_sums.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "neighbors/neighbor_table.hpp"

namespace empirisk {

static WindowForm form_of(const std::string& name) {
  if (name == "gaussian") return WindowForm::gaussian;
  if (name == "epanechnikov") return WindowForm::epanechnikov;
  if (name == "tricube") return WindowForm::tricube;
  if (name == "boxcar") return WindowForm::boxcar;
  refuse("no window is called " + name);
}

static nb::tuple window_sums(nb::handle x, nb::handle q, const std::string& window, nb::handle bandwidths, nb::handle weight,
                             nb::handle target, bool slopes, bool fall_back, nb::handle left_out, nb::handle left_weight) {
  const MatrixArg rows = matrix_arg(x, "X"), queries = matrix_arg(q, "Q");
  const auto plain = [](const Matrix& m) { return m.storage == Storage::dense && !m.is_float32; };
  if (!plain(rows.view) || !plain(queries.view)) refuse("X and Q must be dense float64");
  if (rows.view.cols != queries.view.cols) refuse("X and Q must have the same number of columns");
  const AnyArray widths = any_array(bandwidths, "bandwidths");
  if (widths.ndim() != 1) refuse("bandwidths must have one dimension");
  WindowProblem problem;
  problem.x = rows.view;
  problem.q = queries.view;
  problem.form = form_of(window);
  problem.bandwidths = i64(widths.shape(0));
  const ArrayArg width = array_arg(bandwidths, "bandwidths", {problem.bandwidths});
  const ArrayArg weights = array_arg(weight, "weight", {rows.view.rows}), targets = array_arg(target, "target", {rows.view.rows});
  if (!width.data || !weights.data || !targets.data) refuse("bandwidths, weight and target are needed");
  problem.bandwidth = width.data;
  problem.weight = weights.data;
  problem.target = targets.data;
  problem.slopes = slopes;
  problem.fall_back = fall_back;
  nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu> absent;
  if (!left_out.is_none()) {
    if (!nb::try_cast(left_out, absent, false) || i64(absent.shape(0)) != queries.view.rows) refuse("left_out must be int64, one for each query");
    problem.left_out = absent.data();
  }
  const ArrayArg left = array_arg(left_weight, "left_weight", {queries.view.rows});
  problem.left_weight = left.data;
  if (rows.view.rows < (problem.left_out ? 2 : 1)) refuse("X must have a row for every query");
  const i64 terms = slopes ? rows.view.cols + 1 : 1, each = terms * (terms + 1) / 2 + terms + 1;
  const Result sums = new_result({problem.bandwidths * queries.view.rows, each}), least = new_result({queries.view.rows});
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object anchor = numpy.attr("empty")(nb::make_tuple(queries.view.rows), "int64");
  const nb::object empty = numpy.attr("empty")(nb::make_tuple(problem.bandwidths, queries.view.rows), "uint8");
  problem.sums = sums.data;
  problem.least = least.data;
  problem.anchor = static_cast<i64*>(nb::cast<nb::ndarray<nb::device::cpu>>(anchor).data());
  problem.empty = static_cast<std::uint8_t*>(nb::cast<nb::ndarray<nb::device::cpu>>(empty).data());
  {
    const nb::gil_scoped_release release;
    neighbor_loops().window_sums(problem);
  }
  return nb::make_tuple(sums.array, least.array, anchor, empty);
}

void bind_neighbor_windows(nb::module_& m) {
  m.def("window_sums", &window_sums, nb::arg("X"), nb::arg("Q"), nb::arg("window"), nb::arg("bandwidths"), nb::arg("weight"),
        nb::arg("target"), nb::arg("slopes") = false, nb::arg("fall_back") = false, nb::arg("left_out") = nb::none(),
        nb::arg("left_weight") = nb::none());
}

}  // namespace empirisk
