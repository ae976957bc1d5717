// matvec, rmatvec, the Hessian products, and the elementary functions for their tests.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

static std::vector<i64> with_rhs(i64 n, i64 k, bool vector) { return vector ? std::vector<i64>{n} : std::vector<i64>{n, k}; }

// Number of right-hand sides of a 1-D or 2-D argument.
static i64 count_rhs(nb::handle h, const char* name, bool& vector) {
  const AnyArray a = any_array(h, name);
  if (a.ndim() != 1 && a.ndim() != 2) refuse(std::string(name) + " must have one or two dimensions");
  vector = a.ndim() == 1;
  return vector ? 1 : i64(a.shape(1));
}

static void run(const Matrix& x, const RowPass& pass) {
  const nb::gil_scoped_release release;
  loops().row_pass(x, pass);
}

static nb::object matvec(nb::handle x, nb::handle w, nb::handle b, nb::handle out) {
  const MatrixArg m = matrix_arg(x);
  bool vector = true;
  const i64 k = count_rhs(w, "w", vector);
  const ArrayArg right = array_arg(w, "w", with_rhs(m.view.cols, k, vector));
  double scalar = 0.0;
  const double* shift = nullptr;
  ArrayArg shifts;
  if (vector && !b.is_none()) {
    scalar = nb::cast<double>(nb::float_(b));
    shift = &scalar;
  } else {
    shifts = array_arg(b, "b", {k});
    shift = shifts.data;
  }
  const Result result = result_or_out(out, with_rhs(m.view.rows, k, vector));
  const Scores f{shift, result.data, k};
  run(m.view, RowPass{k, right.data, nullptr, nullptr, {loops().write_scores, &f, 0}});
  return result.array;
}

static nb::object rmatvec(nb::handle x, nb::handle u, nb::handle out) {
  const MatrixArg m = matrix_arg(x);
  bool vector = true;
  const i64 k = count_rhs(u, "u", vector);
  const ArrayArg left = array_arg(u, "u", with_rhs(m.view.rows, k, vector));
  const Result result = result_or_out(out, with_rhs(m.view.cols, k, vector));
  const Residuals f{left.data, k};
  run(m.view, RowPass{k, nullptr, result.data, nullptr, {loops().read_residuals, &f, 0}});
  return result.array;
}

static nb::tuple weighted_hessian_product(nb::handle x, nb::handle d, nb::handle v, double v_b) {
  const MatrixArg m = matrix_arg(x);
  const ArrayArg weight = array_arg(d, "d", {m.view.rows}), right = array_arg(v, "v", {m.view.cols});
  if (!weight.data || !right.data) refuse("d and v must be arrays");
  const Result result = new_result({m.view.cols});
  double sum = 0.0;
  const Weighted f{weight.data, v_b};
  run(m.view, RowPass{1, right.data, result.data, &sum, {loops().weighted, &f, 1}});
  return nb::make_tuple(result.array, sum);
}

static nb::tuple softmax_hessian_product(nb::handle x, nb::handle p, nb::handle s, nb::handle v, nb::handle v_b) {
  const MatrixArg m = matrix_arg(x);
  const AnyArray probabilities = any_array(p, "P");
  const i64 k = probabilities.ndim() == 2 ? i64(probabilities.shape(1)) : 0;
  const ArrayArg prob = array_arg(p, "P", {m.view.rows, k}), weight = array_arg(s, "s", {m.view.rows});
  const ArrayArg right = array_arg(v, "V", {m.view.cols, k}), shift = array_arg(v_b, "v_b", {k});
  if (!right.data) refuse("V must be an array");
  const Result result = new_result({m.view.cols, k}), sums = new_result({k});
  const SoftmaxCurvature f{prob.data, weight.data, shift.data, k};
  run(m.view, RowPass{k, right.data, result.data, sums.data, {loops().softmax_curvature, &f, k}});
  return nb::make_tuple(result.array, sums.array);
}

static nb::object elementwise(nb::handle x, decltype(LoopTable::exp) function) {
  const i64 n = i64(any_array(x, "x").size());
  const ArrayArg in = array_arg(x, "x", {n});
  const Result result = new_result({n});
  if (n > 0) function(in.data, result.data, n);
  return result.array;
}

void bind_matvec(nb::module_& m) {
  m.def("matvec", &matvec, nb::arg("X"), nb::arg("w"), nb::arg("b") = nb::none(), nb::arg("out") = nb::none());
  m.def("rmatvec", &rmatvec, nb::arg("X"), nb::arg("u"), nb::arg("out") = nb::none());
  m.def("weighted_hessian_product", &weighted_hessian_product, nb::arg("X"), nb::arg("d"), nb::arg("v"), nb::arg("v_b") = 0.0);
  m.def("softmax_hessian_product", &softmax_hessian_product, nb::arg("X"), nb::arg("P"), nb::arg("s").none(), nb::arg("V"),
        nb::arg("v_b") = nb::none());
  m.def("exp", [](nb::handle x) { return elementwise(x, loops().exp); }, nb::arg("x"));
  m.def("log1p", [](nb::handle x) { return elementwise(x, loops().log1p); }, nb::arg("x"));
  m.def("variant", [] { return loops().name; });
}

}  // namespace empirisk
