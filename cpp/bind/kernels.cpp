// kernel_block, kernel_product.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/kernel_arg.hpp"

namespace empirisk {

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
