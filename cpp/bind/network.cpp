// network_steps: minibatch steps of a network, whose products are those of SciPy's BLAS.
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "network/network_table.hpp"

namespace empirisk {

static Bend bend_named(const std::string& name) {
  static const struct { const char* name; Bend bend; } known[] = {
      {"gelu", Bend::gelu}, {"identity", Bend::identity}, {"leaky_relu", Bend::leaky_relu}, {"relu", Bend::relu},
      {"sigmoid", Bend::sigmoid}, {"softplus", Bend::softplus}, {"step", Bend::step}, {"tanh", Bend::tanh}};
  for (const auto& row : known)
    if (name == row.name) return row.bend;
  refuse("there is no compiled form of the activation '" + name + "'");
}

static Normal normal_named(const std::string& name) {
  static const struct { const char* name; Normal normal; } known[] = {
      {"", Normal::none}, {"batch", Normal::batch}, {"layer", Normal::layer}};
  for (const auto& row : known)
    if (name == row.name) return row.normal;
  refuse("there is no compiled form of the normalization '" + name + "'");
}

static Rule rule_named(const std::string& name) {
  static const struct { const char* name; Rule rule; } known[] = {
      {"adadelta", Rule::adadelta}, {"adagrad", Rule::adagrad}, {"adam", Rule::adam}, {"adamw", Rule::adamw},
      {"gradient_step", Rule::gradient_step}, {"momentum", Rule::momentum}, {"nesterov", Rule::nesterov}, {"rmsprop", Rule::rmsprop}};
  for (const auto& row : known)
    if (name == row.name) return row.rule;
  refuse("there is no compiled form of the update rule '" + name + "'");
}

// SciPy hands out its BLAS as capsules that are called after their C signature.
static void* blas_function(const char* name) {
  const nb::object table = nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__");
  const nb::object capsule = table[name];
  void* found = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
  if (!found) throw nb::python_error();
  return found;
}

// A writable array of the parameters' format and size, or null for None.
static void* parameter_array(nb::handle h, const char* name, i64 size, bool is_float32) {
  if (h.is_none()) return nullptr;
  nb::ndarray<nb::device::cpu, nb::c_contig> a;
  if (!nb::try_cast(h, a, false)) refuse(std::string(name) + " must be a writable array in C order");
  if (a.ndim() != 1 || i64(a.shape(0)) != size || (a.dtype() == nb::dtype<float>()) != is_float32)
    refuse(std::string(name) + " must hold one number of the format of X for each of the " + std::to_string(size) + " parameters");
  return a.data();
}

using Order = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check_order(const Order& order, i64 rows, i64 batch, i64 n_sizes) {
  if (batch < 1) refuse("batch must be at least 1");
  if (n_sizes < (i64(order.size()) + batch - 1) / batch) refuse("sizes must cover every step");
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order.data()[k] < 0 || order.data()[k] >= rows) refuse("order names a row that X does not have");
}

static i64 check_layers(const std::vector<i64>& widths, std::size_t bends, const std::vector<Normal>& normals, i64 columns) {
  if (normals.size() != bends) refuse("normalizations must name one, or '', for each activation");
  if (widths.size() < 2 || widths.size() > 65 || bends + 1 != widths.size() || widths[0] != columns)
    refuse("widths must begin with the columns of X and go on with one number for each of at most 64 activations");
  i64 size = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    if (widths[l] < 1 || widths[l + 1] < 1 || widths[l] > (1 << 30) || widths[l + 1] > (1 << 30)) refuse("widths must be at least 1");
    size += (widths[l] + 1 + (normals[l] != Normal::none)) * widths[l + 1];
  }
  return size;
}

static nb::tuple network_steps(nb::handle x, nb::handle y, nb::handle weight, nb::handle w, const std::vector<i64>& widths,
                               const std::vector<std::string>& activations, const std::string& loss, double parameter,
                               Order order, i64 batch, nb::handle sizes, const std::string& rule, nb::handle memory_one,
                               nb::handle memory_two, double first, double second, double eps, double decay, i64 taken,
                               nb::handle center, nb::handle inverse, double l1, double l2, double clip, double dropout,
                               std::uint64_t seed, nb::handle gradient,
                               const std::vector<std::string>& normalizations) {
  const MatrixArg m = matrix_arg(x);
  if (m.view.storage == Storage::csc) refuse("X must be dense or CSR: rows of CSC cannot be reached");
  std::vector<Normal> normals(normalizations.empty() ? activations.size() : 0, Normal::none);
  for (const std::string& name : normalizations) normals.push_back(normal_named(name));
  const i64 n = m.view.rows, p = m.view.cols, size = check_layers(widths, activations.size(), normals, p), k = widths.back();
  const i64 n_sizes = i64(any_array(sizes, "sizes").size());
  check_order(order, n, batch, n_sizes);
  std::vector<Bend> bends;
  for (const std::string& name : activations) bends.push_back(bend_named(name));
  NetworkTask task;
  task.softmax = loss == "softmax";
  const ArrayArg ys = array_arg(y, "y", task.softmax ? std::vector<i64>{n} : std::vector<i64>{n, k});
  const ArrayArg ws = array_arg(weight, "weight", {n}), cs = array_arg(center, "center", {p}), is = array_arg(inverse, "inverse", {p});
  const ArrayArg gs = array_arg(sizes, "sizes", {n_sizes});
  if (!ys.data) refuse("y must be an array");
  for (i64 i = 0; task.softmax && i < n; ++i)
    if (!(ys.data[i] >= 0.0 && ys.data[i] < double(k))) refuse("y must hold class codes below the number of scores");
  if (!task.softmax) task.loss = row_loss(loss);
  if (!(dropout >= 0.0 && dropout < 1.0)) refuse("dropout must lie in [0, 1)");
  const bool small = m.view.is_float32;
  task.x = m.view, task.center = cs.data, task.inverse = is.data, task.y = ys.data, task.weight = ws.data;
  task.parameter = parameter, task.depth = i64(bends.size()), task.widths = widths.data(), task.bends = bends.data(), task.normals = normals.data();
  task.order = order.data(), task.n_order = i64(order.size()), task.batch = batch;
  task.l1 = l1, task.l2 = l2, task.clip = clip, task.dropout = dropout, task.seed = seed;
  task.rule = {rule_named(rule), first, second, eps, decay, gs.data, taken, parameter_array(memory_one, "memory_one", size, small),
               parameter_array(memory_two, "memory_two", size, small)};
  const bool two = task.rule.rule == Rule::adam || task.rule.rule == Rule::adamw || task.rule.rule == Rule::adadelta;
  if (task.rule.rule != Rule::gradient_step && !task.rule.memory_one) refuse("the rule needs memory_one");
  if (two && !task.rule.memory_two) refuse("the rule needs memory_two");
  task.w = parameter_array(w, "w", size, small);
  if (!task.w) refuse("w must be an array");
  task.gradient = parameter_array(gradient, "gradient", size, small);
  task.sgemm = reinterpret_cast<Sgemm>(blas_function("sgemm"));
  task.dgemm = reinterpret_cast<Dgemm>(blas_function("dgemm"));
  NetworkEnd end;
  {
    const nb::gil_scoped_release release;
    end = network_loops().steps(task);
  }
  return nb::make_tuple(end.steps, end.layer);
}

void bind_network(nb::module_& m) {
  m.def("network_steps", &network_steps, nb::arg("X"), nb::arg("y"), nb::arg("weight").none(), nb::arg("w"), nb::arg("widths"),
        nb::arg("activations"), nb::arg("loss"), nb::arg("parameter"), nb::arg("order"), nb::arg("batch"), nb::arg("sizes"),
        nb::arg("rule"), nb::kw_only(), nb::arg("memory_one") = nb::none(), nb::arg("memory_two") = nb::none(),
        nb::arg("first") = 0.0, nb::arg("second") = 0.0, nb::arg("eps") = 0.0, nb::arg("decay") = 0.0, nb::arg("taken") = 0,
        nb::arg("center") = nb::none(), nb::arg("inverse") = nb::none(), nb::arg("l1") = 0.0, nb::arg("l2") = 0.0,
        nb::arg("clip") = 0.0, nb::arg("dropout") = 0.0, nb::arg("seed") = 0, nb::arg("gradient") = nb::none(),
        nb::arg("normalizations") = std::vector<std::string>());
}

}  // namespace empirisk
