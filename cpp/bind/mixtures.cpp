// The loops of mixtures: expected statistics of the parts.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "mixtures/mixture_table.hpp"

namespace empirisk {

static nb::tuple gaussian_mixture_pass(nb::handle x, nb::handle mean, nb::handle inverse, nb::handle log_scale, nb::handle weights,
                                       nb::handle given, bool rows, bool sums) {
  const MatrixArg matrix = matrix_arg(x, "X");
  if (matrix.view.storage != Storage::dense) refuse("X must be dense");
  const i64 n = matrix.view.rows, p = matrix.view.cols;
  const AnyArray shape = any_array(inverse, "inverse");
  const AnyArray centres = any_array(mean, "mean");
  if (centres.ndim() != 2 || shape.ndim() < 2) refuse("mean must be a matrix, and inverse a matrix or a stack of them");
  GaussianPass pass;
  pass.x = matrix.view;
  pass.parts = i64(centres.shape(0));
  pass.factors = i64(shape.shape(0));
  pass.full = shape.ndim() == 3;
  if (pass.parts < 1 || (pass.factors != 1 && pass.factors != pass.parts)) refuse("inverse must hold one factor, or one for each mean");
  const ArrayArg m = array_arg(mean, "mean", {pass.parts, p}), s = array_arg(log_scale, "log_scale", {pass.parts});
  const std::vector<i64> triangle = {pass.factors, p, p}, diagonal = {pass.factors, p};
  const ArrayArg f = array_arg(inverse, "inverse", pass.full ? triangle : diagonal);
  const ArrayArg w = array_arg(weights, "weights", {n}), r = array_arg(given, "given", {n, pass.parts});
  pass.mean = m.data;
  pass.log_scale = s.data;
  pass.inverse = f.data;
  pass.weight = w.data;
  pass.given = r.data;
  const Result density = optional_result(rows, {n}), chance = optional_result(rows, {n, pass.parts});
  const Result out = optional_result(sums, {1 + pass.parts * (1 + p + (pass.full ? p * p : p))});
  pass.log_density = density.data;
  pass.chance = chance.data;
  pass.sums = out.data;
  {
    const nb::gil_scoped_release release;
    mixture_loops().gaussian(pass);
  }
  return nb::make_tuple(out.array, density.array, chance.array);
}

void bind_mixtures(nb::module_& m) {
  m.def("gaussian_mixture_pass", &gaussian_mixture_pass, nb::arg("X"), nb::arg("mean"), nb::arg("inverse"), nb::arg("log_scale"),
        nb::arg("weights") = nb::none(), nb::arg("given") = nb::none(), nb::arg("rows") = false, nb::arg("sums") = true);
}

}  // namespace empirisk
