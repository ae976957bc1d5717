// RowTree: a tree of rows, and its searches.
#include <cmath>
#include <memory>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "neighbors/neighbor_table.hpp"

namespace empirisk {

class RowTree {
 public:
  RowTree(nb::handle x, i64 leaf) {
    const MatrixArg rows = matrix_arg(x, "X");
    if (rows.view.storage != Storage::dense) refuse("X must be dense");
    if (rows.view.rows < 1 || rows.view.cols < 1) refuse("X must have a row and a column");
    if (leaf < 1) refuse("leaf must be at least 1");
    rows_ = rows.view.rows;
    cols_ = rows.view.cols;
    leaf_ = leaf;
    single_ = rows.view.is_float32;
    const TreeSize size = neighbor_loops().tree_size(rows_, leaf);
    const std::size_t cell = single_ ? sizeof(float) : sizeof(double);
    panels_.reset(new char[std::size_t(size.panels * cols_ * 8) * cell]);
    boxes_.reset(new char[std::size_t(size.groups * cols_ * 16) * cell]);
    order_.reset(new i64[std::size_t(size.panels * 8)]);
    first_.reset(new i64[std::size_t(size.groups * 8)]);
    TreeProblem problem;
    problem.x = rows.view;
    problem.leaf = leaf;
    problem.panels = panels_.get();
    problem.order = order_.get();
    problem.boxes = boxes_.get();
    problem.first = first_.get();
    const nb::gil_scoped_release release;
    neighbor_loops().build_tree(problem);
  }

  nb::tuple nearest(nb::handle q, i64 k, double power, nb::handle left_out) const {
    const MatrixArg queries = matrix_arg(q, "Q");
    TreeQuery query = asked(queries, power);
    nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu> absent;
    if (!left_out.is_none()) {
      if (!nb::try_cast(left_out, absent, false) || i64(absent.shape(0)) != query.q.rows) refuse("left_out must be int64, one for each query");
      query.left_out = absent.data();
    }
    if (k < 1 || k > rows_ - (query.left_out ? 1 : 0)) refuse("k must be at least 1 and at most the number of rows that may be found");
    query.k = k;
    const Result distance = new_result({query.q.rows, k});
    const nb::object index = integers(nb::make_tuple(query.q.rows, k), query.index);
    query.distance = distance.data;
    search(query);
    return nb::make_tuple(distance.array, index);
  }

  nb::object count_within(nb::handle q, double radius, double power) const {
    const MatrixArg queries = matrix_arg(q, "Q");
    TreeQuery query = asked(queries, power);
    query.radius = radius;
    const nb::object counts = integers(nb::make_tuple(query.q.rows), query.index);
    search(query);
    return counts;
  }

  nb::tuple within(nb::handle q, double radius, double power, nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu> starts) const {
    const MatrixArg queries = matrix_arg(q, "Q");
    TreeQuery query = asked(queries, power);
    query.radius = radius;
    if (i64(starts.shape(0)) != query.q.rows + 1) refuse("starts must have one entry more than there are queries");
    query.starts = starts.data();
    const i64 total = query.starts[query.q.rows];
    const Result distance = new_result({total});
    const nb::object index = integers(nb::make_tuple(total), query.index);
    query.distance = distance.data;
    search(query);
    return nb::make_tuple(index, distance.array);
  }

 private:
  TreeQuery asked(const MatrixArg& queries, double power) const {
    if (queries.view.storage != Storage::dense) refuse("Q must be dense");
    if (queries.view.cols != cols_) refuse("X and Q must have the same number of columns");
    if (queries.view.is_float32 != single_) refuse("X and Q must have the same number format");
    if (!(power >= 1.0)) refuse("power must be at least 1");
    TreeQuery query;
    query.q = queries.view;
    query.power = power;
    query.rows = rows_;
    query.leaf = leaf_;
    query.panels = panels_.get();
    query.order = order_.get();
    query.boxes = boxes_.get();
    query.first = first_.get();
    return query;
  }

  static nb::object integers(const nb::tuple& shape, i64*& data) {
    const nb::object out = nb::module_::import_("numpy").attr("empty")(shape, "int64");
    data = static_cast<i64*>(nb::cast<nb::ndarray<nb::device::cpu>>(out).data());
    return out;
  }

  static void search(const TreeQuery& query) {
    const nb::gil_scoped_release release;
    neighbor_loops().search_tree(query);
  }

  i64 rows_, cols_, leaf_;
  bool single_;
  std::unique_ptr<char[]> panels_, boxes_;
  std::unique_ptr<i64[]> order_, first_;
};

void bind_neighbor_trees(nb::module_& m) {
  nb::class_<RowTree>(m, "RowTree")
      .def(nb::init<nb::handle, i64>(), nb::arg("X"), nb::arg("leaf"))
      .def("nearest", &RowTree::nearest, nb::arg("Q"), nb::arg("k"), nb::arg("power"), nb::arg("left_out") = nb::none())
      .def("count_within", &RowTree::count_within, nb::arg("Q"), nb::arg("radius"), nb::arg("power"))
      .def("within", &RowTree::within, nb::arg("Q"), nb::arg("radius"), nb::arg("power"), nb::arg("starts"));
}

}  // namespace empirisk
