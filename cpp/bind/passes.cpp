// linear_pass and softmax_pass: objective and gradient in one read of X.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "loops/table.hpp"

namespace empirisk {

static nb::tuple linear_pass(nb::handle x, nb::handle y, nb::handle s, nb::handle w, double b, const std::string& loss,
                             double parameter, nb::handle offset, bool want_grad, bool want_z, bool want_derivatives) {
  const MatrixArg m = matrix_arg(x);
  const i64 n = m.view.rows, p = m.view.cols;
  const ArrayArg target = required(y, "y", {n}), weight = array_arg(s, "s", {n}), right = required(w, "w", {p});
  const Result grad = optional_result(want_grad, {p}), z = optional_result(want_z, {n});
  const Result first = optional_result(want_derivatives, {n}), second = optional_result(want_derivatives, {n});
  const ArrayArg shift = array_arg(offset, "offset", {n});
  const LinearLoss f{scalar_loss(loss), parameter, target.data, weight.data, shift.data, b, z.data, first.data, second.data};
  double sums[2] = {};
  {
    const nb::gil_scoped_release release;
    loops().row_pass(m.view, RowPass{1, right.data, grad.data, sums, {loops().linear_loss, &f, 2}});
  }
  return nb::make_tuple(sums[0], grad.array, sums[1], z.array, first.array, second.array);
}

static nb::tuple softmax_pass(nb::handle x, nb::handle y, nb::handle s, nb::handle w, nb::handle b, bool want_grad, bool want_z,
                              bool want_probabilities) {
  const MatrixArg m = matrix_arg(x);
  const i64 n = m.view.rows, p = m.view.cols;
  const AnyArray coef = any_array(w, "W");
  const i64 k = coef.ndim() == 2 ? i64(coef.shape(1)) : 0;
  const ArrayArg right = required(w, "W", {p, k}), shift = array_arg(b, "b", {k}), weight = array_arg(s, "s", {n});
  if (k < 1) refuse("W must have at least one column");
  const Labels labels = labels_arg(y, n, k);
  const Result grad = optional_result(want_grad, {p, k}), z = optional_result(want_z, {n, k});
  const Result probabilities = optional_result(want_probabilities, {n, k}), sums = new_result({k + 1});
  const SoftmaxLoss f{labels.data(), weight.data, shift.data, k, z.data, probabilities.data};
  {
    const nb::gil_scoped_release release;
    loops().row_pass(m.view, RowPass{k, right.data, grad.data, sums.data, {loops().softmax_loss, &f, k + 1}});
  }
  const nb::object grad_b = sums.array[nb::slice(nb::int_(1), nb::none(), nb::none())];
  return nb::make_tuple(sums.data[0], grad.array, grad_b, z.array, probabilities.array);
}

void bind_passes(nb::module_& m) {
  m.def("linear_pass", &linear_pass, nb::arg("X"), nb::arg("y"), nb::arg("s").none(), nb::arg("w"), nb::arg("b"), nb::arg("loss"),
        nb::arg("parameter") = 0.0, nb::arg("offset") = nb::none(), nb::arg("want_grad") = true, nb::arg("want_z") = false,
        nb::arg("want_derivatives") = false);
  m.def("softmax_pass", &softmax_pass, nb::arg("X"), nb::arg("y"), nb::arg("s").none(), nb::arg("W"), nb::arg("b").none(),
        nb::arg("want_grad") = true, nb::arg("want_z") = false, nb::arg("want_probabilities") = false);
}

}  // namespace empirisk
