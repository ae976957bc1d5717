// grow_exact: one tree on presorted columns. Compiled once: the searches wait for memory, not for arithmetic.
#define EMPIRISK_ISA exact
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "trees/exact_tree.hpp"

namespace empirisk {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A vector becomes an array without a copy.
template <class T>
static nb::object hand_over(std::vector<T>& field) {
  auto* const all = new std::vector<T>(std::move(field));
  const nb::capsule owner(all, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(all->data(), {all->size()}, owner));
}

static nb::dict as_arrays(FlatTree& t) {
  nb::dict out;
  out["feature"] = hand_over(t.feature), out["left"] = hand_over(t.left), out["threshold"] = hand_over(t.threshold);
  out["value"] = hand_over(t.value), out["weight"] = hand_over(t.weight), out["gain"] = hand_over(t.gain);
  out["heterogeneity"] = hand_over(t.heterogeneity), out["missing_left"] = hand_over(t.missing_left), out["count"] = hand_over(t.count);
  out["category_start"] = hand_over(t.category_start), out["category_words"] = hand_over(t.category_words);
  return out;
}

static SplitKind kind_of(const std::string& loop) {
  if (loop == "squared_error" || loop == "gini" || loop == "absolute_error") return SplitKind::squared;
  if (loop == "newton") return SplitKind::newton;
  if (loop == "poisson") return SplitKind::poisson;
  if (loop == "entropy") return SplitKind::entropy;
  if (loop == "misclassification") return SplitKind::error;
  refuse("no loop for the criterion " + loop + ": add its functor to trees/criteria.hpp and a row to kind_of of bind/trees_exact.cpp");
}

static bool no_signal() {  // Ctrl-C reaches the thread that Python called
  const nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() == 0;
}

static void check_values(const ExactData& d, i64 n_classes) {
  const ColumnReader reader{d.x};
  for (i64 j = 0; j < d.x.cols; ++j) {
    if (d.n_categories[j] < 0 || d.n_categories[j] >= (i64(1) << 31)) refuse("n_categories is out of range");
    if (d.n_categories[j] == 0) continue;
    bool fine = true;
    reader.each(j, [&](i64, double v) { fine = fine && (v != v || (v >= 0.0 && v < double(d.n_categories[j]) && v == std::floor(v))); });
    if (!fine) refuse("X holds no category code in column " + std::to_string(j));
  }
  for (i64 i = 0; d.label && i < d.x.rows; ++i)
    if (d.label[i] < 0 || d.label[i] >= n_classes) refuse("label holds no class code");
}

static nb::dict grow(nb::handle X, Flat<const i64> n_categories, const std::string& loop, std::optional<Flat<const std::int32_t>> label, i64 n_classes,
                     std::optional<Flat<const double>> first, std::optional<Flat<const double>> second, double l2, i64 max_depth, i64 max_leaves,
                     i64 min_rows_split, i64 min_rows_leaf, double min_weight_leaf, double min_gain, i64 max_features, std::uint64_t seed,
                     std::optional<Flat<const std::int8_t>> signs) {
  const MatrixArg x = matrix_arg(X);
  const std::size_t n = std::size_t(x.view.rows), p = std::size_t(x.view.cols);
  if (x.view.storage == Storage::csr) refuse("X must be dense or CSC");
  if (n < 1 || p < 1 || n >= (std::size_t(1) << 30)) refuse("X must have 1 to 2^30 - 1 rows and at least one column");
  if (n_categories.size() != p || (signs && signs->size() != p)) refuse("n_categories and signs must have one entry for each column");
  if ((label && label->size() != n) || (first && first->size() != n) || (second && second->size() != n) || (!label && !first))
    refuse("targets and weights must have one entry for each row");
  if (min_rows_leaf < 1 || (label && n_classes < 2)) refuse("min_rows_leaf and n_classes are out of range");
  ExactData d;
  d.x = x.view, d.n_categories = n_categories.data();
  d.label = label ? label->data() : nullptr, d.first = first ? first->data() : nullptr, d.second = second ? second->data() : nullptr;
  d.plan.limits = {max_depth, max_leaves, min_rows_split, min_rows_leaf, min_weight_leaf, min_gain, max_features, seed};
  d.plan.kind = kind_of(loop), d.plan.factor = label ? 2.0 : 1.0, d.plan.l2 = l2, d.plan.n_classes = int(n_classes);
  d.medians = loop == "absolute_error";
  d.plan.strict = d.medians || d.plan.kind == SplitKind::newton || d.plan.kind == SplitKind::error;
  if (d.plan.kind == SplitKind::newton && !second) refuse("the second moment is missing");
  if (signs) d.plan.signs.assign(signs->data(), signs->data() + p);
  d.plan.gains = exact::split_gains;
  check_values(d, n_classes);
  Patience patience(no_signal);
  d.patience = &patience;
  FlatTree tree;
  try {
    const nb::gil_scoped_release release;
    tree = grow_exact_tree(d);
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
  return as_arrays(tree);
}

void bind_trees_exact(nb::module_& m) {
  m.def("grow_exact", &grow, nb::arg("X"), nb::arg("n_categories"), nb::arg("loop"), nb::arg("label").none(), nb::arg("n_classes"), nb::arg("first").none(),
        nb::arg("second").none(), nb::arg("l2"), nb::arg("max_depth"), nb::arg("max_leaves"), nb::arg("min_rows_split"), nb::arg("min_rows_leaf"),
        nb::arg("min_weight_leaf"), nb::arg("min_gain"), nb::arg("max_features"), nb::arg("seed"), nb::arg("signs").none());
}

}  // namespace empirisk
