// signed_hadamard.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "reduction/reduction_table.hpp"

namespace empirisk {

static nb::object signed_hadamard(nb::handle x, nb::handle sign, nb::handle rows) {
  const MatrixArg m = matrix_arg(x);
  if (m.view.storage == Storage::csc) refuse("X must be dense or CSR");
  const ArrayArg signs = array_arg(sign, "sign", {m.view.cols});
  nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu> chosen;
  if (!nb::try_cast(rows, chosen, false)) refuse("rows must be int64, with one dimension");
  if (!signs.data) refuse("sign is needed");
  i64 width = 1;
  while (width < m.view.cols) width *= 2;
  for (std::size_t i = 0; i < chosen.shape(0); ++i)
    if (chosen.data()[i] < 0 || chosen.data()[i] >= width) refuse("rows must lie below the next power of two above the columns");
  const nb::object out = nb::module_::import_("numpy").attr("empty")(
      nb::make_tuple(m.view.rows, i64(chosen.shape(0))), m.view.is_float32 ? "float32" : "float64");
  HadamardProblem problem;
  problem.x = m.view;
  problem.sign = signs.data;
  problem.row = chosen.data();
  problem.chosen = i64(chosen.shape(0));
  problem.out = nb::cast<nb::ndarray<nb::device::cpu>>(out).data();
  {
    const nb::gil_scoped_release release;
    reduction_loops().signed_hadamard(problem);
  }
  return out;
}

void bind_reduction(nb::module_& m) {
  m.def("signed_hadamard", &signed_hadamard, nb::arg("X"), nb::arg("sign"), nb::arg("rows"));
}

}  // namespace empirisk
