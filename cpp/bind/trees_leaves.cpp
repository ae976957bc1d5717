// TreeLoop: trees packed for prediction; leaves of rows, and sums of what the leaves hold.
#define EMPIRISK_ISA leaves
#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"
#include "trees/background_shap.hpp"
#include "trees/pack_trees.hpp"

namespace empirisk {

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Plane = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct TreeLoop {
  PackedTrees trees;

  static void make(TreeLoop* self, Flat<i64> start, Flat<std::int32_t> feature, Flat<double> threshold, Flat<std::int32_t> left,
                   Flat<bool> missing_left, const std::optional<Flat<i64>>& category_start, Flat<std::uint32_t> words, Flat<i64> n_categories) {
    const std::size_t n = feature.size();
    if (threshold.size() != n || left.size() != n || missing_left.size() != n || (category_start && category_start->size() != n) || start.size() < 1)
      refuse("the arrays of the nodes differ in length");
    const TreeArrays a{i64(start.size()) - 1, i64(n), i64(n_categories.size()), i64(words.size()), start.data(), feature.data(),
                       left.data(), threshold.data(), missing_left.data(), category_start ? category_start->data() : nullptr, words.data(), n_categories.data()};
    if (const std::string wrong = check_trees(a); !wrong.empty()) refuse("these arrays are no trees: " + wrong);
    new (self) TreeLoop{PackedTrees(a)};
  }

  MatrixArg rows(nb::handle x) const {
    MatrixArg arg = matrix_arg(x);
    if (arg.view.storage == Storage::csc) refuse("X must be dense or CSR");
    if (arg.view.cols != trees.n_columns()) refuse("X has another number of columns than the trees");
    return arg;
  }

  nb::object apply(nb::handle x) const {
    const MatrixArg arg = rows(x);
    const i64 n = arg.view.rows, n_trees = i64(trees.plans().size());
    std::size_t dims[2] = {std::size_t(n), std::size_t(n_trees)};
    auto memory = std::make_unique_for_overwrite<std::int32_t[]>(std::size_t(n * n_trees + 1));
    LeafPass pass;
    pass.trees = trees.view(), pass.x = arg.view, pass.leaf = memory.get();
    {
      const nb::gil_scoped_release release;
      loops().trees.leaves(pass);
    }
    std::int32_t* data = memory.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t>(data, 2, dims, owner));
  }

  nb::object predict(nb::handle x, Plane<const double> value, nb::handle tree_weight) const {
    const MatrixArg arg = rows(x);
    const i64 k = i64(value.shape(1));
    if (i64(value.shape(0)) != trees.n_nodes()) refuse("value needs one row for each node");
    const ArrayArg weight = array_arg(tree_weight, "tree_weight", {i64(trees.plans().size())});
    const Result out = new_result({arg.view.rows, k});
    std::vector<double> small(trees.leaf_node().size() * std::size_t(k));
    LeafPass pass;
    pass.trees = trees.view(), pass.x = arg.view, pass.sum = out.data, pass.n_outputs = k, pass.value = value.data();
    pass.leaf_value = small.data(), pass.tree_weight = weight.data;
    {
      const nb::gil_scoped_release release;
      for (std::size_t t = 0; t < trees.plans().size(); ++t) {
        const TreePlan& plan = trees.plans()[t];
        for (i64 l = plan.leaf_first; l < plan.leaf_first + plan.n_leaves; ++l)
          for (i64 c = 0; c < k; ++c) small[l * k + c] = value.data()[(plan.root + trees.leaf_node()[l]) * k + c] * (weight.data ? weight.data[t] : 1.0);
      }
      loops().trees.leaves(pass);
    }
    return out.array;
  }
  // Adds to out (n, p, k) the path-dependent Shapley values; share (N,) is each node's part of its parent's weight.
  void shap(nb::handle x, Plane<const double> value, Flat<double> share, nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out) const {
    const MatrixArg arg = rows(x);
    const i64 k = i64(value.shape(1));
    if (i64(value.shape(0)) != trees.n_nodes() || i64(share.size()) != trees.n_nodes()) refuse("value and share need one row for each node");
    if (i64(out.shape(0)) != arg.view.rows || i64(out.shape(1)) != trees.n_columns() || i64(out.shape(2)) != k) refuse("out must have shape (n, p, k)");
    const nb::gil_scoped_release release;
    const TreeView view = trees.view();
    ShapPlan plan;
    for (i64 t = 0; t < view.n_trees;) {
      // As many trees at once as stay in a second-level cache.
      plan.clear();
      for (; t < view.n_trees && plan.constants.size() < (std::size_t(1) << 16); ++t) plan.add(view, t, share.data());
      loops().trees.shap({view, arg.view, plan.trees.data(), i64(plan.trees.size()), plan.edges.data(), plan.constants.data(), value.data(), k, out.data()});
    }
  }

  // Adds to out the Shapley values against background rows; false when a path asks more features than fit.
  bool background_shap(nb::handle x, nb::handle background, Plane<const double> value, nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out) const {
    const MatrixArg arg = rows(x), others = rows(background);
    const i64 k = i64(value.shape(1));
    if (i64(value.shape(0)) != trees.n_nodes()) refuse("value needs one row for each node");
    if (others.view.rows < 1) refuse("background needs at least one row");
    if (i64(out.shape(0)) != arg.view.rows || i64(out.shape(1)) != trees.n_columns() || i64(out.shape(2)) != k) refuse("out must have shape (n, p, k)");
    const nb::gil_scoped_release release;
    return leaves::BackgroundShap(trees.view(), arg.view, others.view, value.data(), k, out.data()).run();
  }
};

}  // namespace

void bind_trees_leaves(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<TreeLoop>(m, "TreeLoop")
      .def("__init__", &TreeLoop::make, "start"_a, "feature"_a, "threshold"_a, "left"_a, "missing_left"_a, "category_start"_a.none(),
           "category_words"_a, "n_categories"_a)
      .def("apply", &TreeLoop::apply, "X"_a)
      .def("predict", &TreeLoop::predict, "X"_a, "value"_a, "tree_weight"_a.none() = nb::none())
      .def("shap", &TreeLoop::shap, "X"_a, "value"_a, "share"_a, "out"_a)
      .def("background_shap", &TreeLoop::background_shap, "X"_a, "background"_a, "value"_a, "out"_a);
}

}  // namespace empirisk
