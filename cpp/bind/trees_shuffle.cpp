// shuffle_tree: changes of a tree's predictions when columns are exchanged between rows. Compiled once: the loop waits for memory.
#define EMPIRISK_ISA shuffle
#include "trees/shuffle.hpp"

#include "bind/arrays.hpp"
#include "bind/bind.hpp"

namespace empirisk {

template <class T, int Dimensions>
using Block = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

// Every number that the loop uses as an address.
static void check_tree(const TreeNodes& t, i64 n_words) {
  if (t.size < 1) refuse("the tree has no nodes");
  for (i64 node = 0; node < t.size; ++node) {
    if (t.feature[node] < 0) continue;
    if (t.feature[node] >= t.p) refuse("a node asks a column that does not exist");
    if (t.left[node] <= node || t.left[node] + 1 >= t.size) refuse("the children of a node must follow it");
    const i64 set = t.category_start[node], c = t.n_categories[t.feature[node]];
    if (c > 0 && (set < 0 || set + (c + 31) / 32 > n_words)) refuse("a set of categories is too short");
  }
}

static void check_rows(const Block<const i64, 1>& rows, i64 end, const char* name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.data()[i] < 0 || rows.data()[i] >= end) refuse(std::string(name) + " names a row that does not exist");
}

static void shuffle_tree(Block<const std::int32_t, 1> feature, Block<const double, 1> threshold, Block<const std::int32_t, 1> left,
                         Block<const bool, 1> missing_left, Block<const i64, 1> category_start, Block<const std::uint32_t, 1> words,
                         Block<const double, 2> value, Block<const i64, 1> n_categories, Block<const double, 2> x, Block<const i64, 1> rows,
                         Block<const i64, 2> donors, Block<const std::int32_t, 1> group, Block<const i64, 1> at, Block<double, 3> out) {
  const i64 nodes = i64(feature.size()), p = i64(n_categories.size()), m = i64(rows.size()), n = i64(x.shape(0)), groups = i64(out.shape(1));
  for (const std::size_t size : {threshold.size(), left.size(), missing_left.size(), category_start.size(), value.shape(0)})
    if (i64(size) != nodes) refuse("the arrays of a tree must have one entry for each node");
  if (i64(x.shape(1)) != p || i64(group.size()) != p) refuse("X and group must have the columns of the tree");
  const bool one = donors.shape(1) == 1;
  if (i64(donors.shape(0)) != m || (!one && i64(donors.shape(1)) != groups) || i64(at.size()) != m)
    refuse("rows, donors, at and out do not fit together");
  if (out.shape(2) != value.shape(1)) refuse("out must have the outputs of the tree");
  const TreeNodes tree{nodes, p, i64(value.shape(1)), feature.data(), left.data(), threshold.data(), value.data(), missing_left.data(),
                       category_start.data(), n_categories.data(), words.data()};
  check_tree(tree, i64(words.size()));
  check_rows(rows, n, "rows");
  check_rows(at, i64(out.shape(0)), "at");
  for (std::size_t i = 0; i < donors.size(); ++i)
    if (donors.data()[i] < 0 || donors.data()[i] >= n) refuse("donors names a row that does not exist");
  for (i64 j = 0; j < p; ++j)
    if (group.data()[j] >= groups) refuse("group names a group that does not exist");
  const ShuffleRows work{m, groups, x.data(), rows.data(), donors.data(), one, group.data(), at.data(), out.data()};
  const nb::gil_scoped_release release;
  Shuffle(tree, work).run();
}

void bind_trees_shuffle(nb::module_& m) {
  m.def("shuffle_tree", &shuffle_tree, nb::arg("feature"), nb::arg("threshold"), nb::arg("left"), nb::arg("missing_left"),
        nb::arg("category_start"), nb::arg("category_words"), nb::arg("value"), nb::arg("n_categories"), nb::arg("X"), nb::arg("rows"),
        nb::arg("donors"), nb::arg("group"), nb::arg("at"), nb::arg("out"));
}

}  // namespace empirisk
