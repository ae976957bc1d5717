// kernel_block, kernel_product.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "kernels/kernel_table.hpp"

namespace empirisk {

// A kernel by the name of its form and its constants.
static KernelSpec spec_of(const std::string& form, nb::handle numbers) {
  KernelSpec out;
  if (form == "linear") out.form = KernelForm::linear;
  else if (form == "gaussian") out.form = KernelForm::gaussian;
  else if (form == "polynomial") out.form = KernelForm::polynomial;
  else if (form == "laplacian") out.form = KernelForm::laplacian;
  else if (form == "matern") out.form = KernelForm::matern;
  else refuse("no compiled form of a kernel is called '" + form + "'");
  const ArrayArg n = array_arg(numbers, "numbers", {4});
  for (int i = 0; i < 4; ++i) out.numbers[i] = n.data[i];
  return out;
}

// The rows of both sides, of one format and width, as the loops read them: dense, or CSR.
struct PairArg {
  MatrixArg a, b;
  ArrayArg center;
  bool same;
  PairArg(nb::handle x, nb::handle y, nb::handle c)
      : a(matrix_arg(x, "A")), b(matrix_arg(y.is_none() ? x : y, "B")), same(y.is_none()) {
    if (a.view.storage == Storage::csc || b.view.storage == Storage::csc) refuse("A and B must be dense or CSR");
    if (a.view.cols != b.view.cols) refuse("A and B must have the same number of columns");
    if (a.view.is_float32 != b.view.is_float32) refuse("A and B must have the same number format");
    center = array_arg(c, "center", {a.view.cols});
    if (center.data && (a.view.storage == Storage::csr || b.view.storage == Storage::csr)) refuse("CSR rows are not centred");
  }
  KernelRows rows_a() const { return {a.view, nullptr, a.view.rows}; }
  KernelRows rows_b() const { return {b.view, nullptr, b.view.rows}; }
};

static nb::object kernel_block(const std::string& form, nb::handle numbers, nb::handle x, nb::handle y, nb::handle center) {
  const KernelSpec kernel = spec_of(form, numbers);
  const PairArg pair(x, y, center);
  const i64 n = pair.a.view.rows, m = pair.b.view.rows;
  const bool single = pair.a.view.is_float32;
  const nb::object out = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(n, m), single ? "float32" : "float64");
  const auto array = nb::cast<nb::ndarray<nb::device::cpu>>(out);
  void* data = array.data();
  {
    const nb::gil_scoped_release release;
    kernel_loops().block(kernel, pair.rows_a(), pair.rows_b(), pair.center.data, pair.same, single, data, m);
  }
  return out;
}

static nb::object kernel_product(const std::string& form, nb::handle numbers, nb::handle x, nb::handle y, nb::handle weights,
                                 i64 n_columns, nb::handle center) {
  const KernelSpec kernel = spec_of(form, numbers);
  const PairArg pair(x, y, center);
  const ArrayArg w = array_arg(weights, "weights", {pair.b.view.rows, n_columns});
  const Result result = new_result({pair.a.view.rows, n_columns});
  {
    const nb::gil_scoped_release release;
    kernel_loops().product(kernel, pair.rows_a(), pair.rows_b(), pair.center.data, w.data, n_columns, result.data);
  }
  return result.array;
}

void bind_kernels(nb::module_& m) {
  m.def("kernel_block", &kernel_block, nb::arg("form"), nb::arg("numbers"), nb::arg("A"), nb::arg("B") = nb::none(),
        nb::arg("center") = nb::none());
  m.def("kernel_product", &kernel_product, nb::arg("form"), nb::arg("numbers"), nb::arg("A"), nb::arg("B"), nb::arg("weights"),
        nb::arg("n_columns"), nb::arg("center") = nb::none());
}

}  // namespace empirisk
