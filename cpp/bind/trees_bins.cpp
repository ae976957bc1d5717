// bin_codes, transpose_codes: columns as codes of one byte; scalar_derivatives, softmax_derivatives: a round of boosting.
#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "loops/table.hpp"

namespace empirisk {

using Integers = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using CodesOut = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CodesIn = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static void bin_codes(nb::handle x, Integers column, Integers cut_start, nb::handle cuts, CodesOut out) {
  const MatrixArg m = matrix_arg(x);
  const i64 n = m.view.rows, p = m.view.cols;
  if (m.view.storage != Storage::dense) refuse("X must be dense");
  if (i64(out.shape(0)) != p || i64(out.shape(1)) != n) refuse("out must have shape (columns, rows)");
  if (i64(cut_start.size()) != p + 1) refuse("cut_start must have one number more than X has columns");
  const i64* const start = cut_start.data();
  for (i64 j = 0; j < p; ++j)
    if (start[j] < 0 || start[j + 1] < start[j] || start[j + 1] - start[j] > 254) refuse("a column must have at most 254 cuts");
  for (std::size_t k = 0; k < column.size(); ++k)
    if (column.data()[k] < 0 || column.data()[k] >= p) refuse("column names a column that X does not have");
  const ArrayArg values = required(cuts, "cuts", {start[p]});
  const nb::gil_scoped_release release;
  loops().bins.codes(m.view, {column.data(), i64(column.size()), start, values.data}, out.data());
}

static void transpose_codes(CodesIn codes, CodesOut out) {
  if (codes.shape(0) != out.shape(1) || codes.shape(1) != out.shape(0)) refuse("out must have the shape of the transpose");
  const nb::gil_scoped_release release;
  loops().bins.transpose(codes.data(), i64(codes.shape(0)), i64(codes.shape(1)), out.data());
}

static void check_size(const Doubles& a, i64 n, const char* name) {
  if (i64(a.size()) != n) refuse(std::string(name) + " must have " + std::to_string(n) + " numbers");
}

static std::tuple<double, double, double> scalar_derivatives(const std::string& loss, double parameter, nb::handle y, nb::handle z,
                                                             nb::handle weight, nb::handle offset, Doubles g, Doubles h,
                                                             bool weigh_sizes) {
  const i64 n = i64(g.size());
  check_size(h, n, "h");
  const ArrayArg target = required(y, "y", {n}), score = required(z, "z", {n}), w = array_arg(weight, "weight", {n});
  const ArrayArg shift = array_arg(offset, "offset", {n});
  const ScalarDerivatives in{scalar_loss(loss), parameter, target.data, score.data, w.data, shift.data, n, weigh_sizes && w.data};
  const nb::gil_scoped_release release;
  const DerivativeSums sums = loops().derivatives.scalar(in, g.data(), h.data());
  return {sums.loss, sums.largest_g, sums.largest_h};
}

static std::tuple<double, double, double> softmax_derivatives(nb::handle y, nb::handle z, nb::handle weight, Doubles g, Doubles h,
                                                              bool weigh_sizes) {
  if (g.ndim() != 2 || g.shape(0) < 2) refuse("g must have shape (k, n) with k >= 2");
  const i64 k = i64(g.shape(0)), n = i64(g.shape(1));
  check_size(h, k * n, "h");
  const Labels labels = labels_arg(y, n, k);
  const ArrayArg score = required(z, "z", {k, n}), w = array_arg(weight, "weight", {n});
  const SoftmaxDerivatives in{labels.data(), score.data, w.data, n, k, weigh_sizes && w.data};
  const nb::gil_scoped_release release;
  const DerivativeSums sums = loops().derivatives.softmax(in, g.data(), h.data());
  return {sums.loss, sums.largest_g, sums.largest_h};
}

void bind_trees_bins(nb::module_& m) {
  m.def("bin_codes", &bin_codes, nb::arg("X"), nb::arg("column"), nb::arg("cut_start"), nb::arg("cuts"), nb::arg("out").noconvert());
  m.def("transpose_codes", &transpose_codes, nb::arg("codes").noconvert(), nb::arg("out").noconvert());
  m.def("scalar_derivatives", &scalar_derivatives, nb::arg("loss"), nb::arg("parameter"), nb::arg("y"), nb::arg("z"),
        nb::arg("weight").none(), nb::arg("offset").none(), nb::arg("g").noconvert(), nb::arg("h").noconvert(),
        nb::arg("weigh_sizes"));
  m.def("softmax_derivatives", &softmax_derivatives, nb::arg("y"), nb::arg("z"), nb::arg("weight").none(), nb::arg("g").noconvert(),
        nb::arg("h").noconvert(), nb::arg("weigh_sizes"));
}

}  // namespace empirisk
