// Coordinate descent and products with chosen columns. A step of a solver calls these a few times; each call is bounded by
// its number of epochs, so that an interrupt is noticed between calls.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

using IndexArg = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static void check_index(const IndexArg& index, i64 p) {
  for (std::size_t c = 0; c < index.size(); ++c)
    if (index.data()[c] < 0 || index.data()[c] >= p) refuse("index names a column that X does not have");
}

static void check_columns(const Matrix& x) {
  if (x.storage == Storage::csr) refuse("X must be dense or CSC: columns of CSR cannot be reached");
}

static double* writeable(nb::handle h, const std::vector<i64>& shape) {
  return result_or_out(h, shape).data;  // owned by the caller, who holds it during the call
}

static nb::tuple result_tuple(const QuadraticResult& r) { return nb::make_tuple(r.epochs, r.gap, r.move, r.r_square); }

static nb::tuple descend_gram(nb::handle g, double r_square, nb::handle q, nb::handle w, double l1, double l2, bool positive,
                              i64 max_epochs, double tol_gap, double tol_move) {
  const AnyArray gram = any_array(g, "G");
  const i64 k = i64(any_array(w, "w").size());
  if (gram.ndim() != 2 || i64(gram.shape(0)) < k || i64(gram.shape(1)) < k || gram.dtype() != nb::dtype<double>() ||
      (gram.shape(1) > 1 && gram.stride(1) != 1))
    refuse("G must be float64, at least as large as w, with contiguous rows");
  double *qs = writeable(q, {k}), *ws = writeable(w, {k});
  const QuadraticTask task{k, l1, l2, positive, max_epochs, tol_gap, tol_move};
  const i64 ld = gram.shape(0) > 1 ? i64(gram.stride(0)) : k;
  QuadraticResult r;
  {
    const nb::gil_scoped_release release;
    r = loops().coordinate.descend_gram(task, static_cast<const double*>(gram.data()), ld, r_square, qs, ws);
  }
  return result_tuple(r);
}

// How much longer than w the axes of all groups are.
static i64 check_groups(const IndexArg& start, i64 k) {
  const i64 groups = i64(start.size()) - 1;
  if (groups < 0 || start.data()[0] != 0 || start.data()[groups] != k) refuse("start must lead from 0 to the size of w");
  i64 squares = 0;
  for (i64 c = 0; c < groups; ++c) {
    const i64 size = start.data()[c + 1] - start.data()[c];
    if (size < 0) refuse("start must not decrease");
    squares += size * size;
  }
  return squares;
}

static nb::tuple descend_groups(nb::handle g, double r_square, nb::handle q, nb::handle w, IndexArg start, nb::handle strength,
                                i64 max_epochs, double tol_gap, double tol_move) {
  const AnyArray gram = any_array(g, "G");
  const i64 k = i64(any_array(w, "w").size()), groups = i64(start.size()) - 1;
  if (gram.ndim() != 2 || i64(gram.shape(0)) < k || i64(gram.shape(1)) < k || gram.dtype() != nb::dtype<double>() ||
      (gram.shape(1) > 1 && gram.stride(1) != 1))
    refuse("G must be float64, at least as large as w, with contiguous rows");
  check_groups(start, k);
  const ArrayArg strengths = array_arg(strength, "strength", {groups});
  if (!strengths.data) refuse("strength must be an array");
  double *qs = writeable(q, {k}), *ws = writeable(w, {k});
  const GroupTask task{k, groups, start.data(), strengths.data, nullptr, max_epochs, tol_gap, tol_move};
  const i64 ld = gram.shape(0) > 1 ? i64(gram.stride(0)) : k;
  QuadraticResult r;
  {
    const nb::gil_scoped_release release;
    r = loops().coordinate.descend_groups(task, static_cast<const double*>(gram.data()), ld, r_square, qs, ws);
  }
  return result_tuple(r);
}

static nb::tuple descend_columns(nb::handle x, IndexArg index, nb::handle h, nb::handle mean, nb::handle curvature, nb::handle u,
                                 nb::handle w, double l1, double l2, bool positive, i64 max_epochs, double tol_gap,
                                 double tol_move) {
  const MatrixArg m = matrix_arg(x);
  check_columns(m.view);
  check_index(index, m.view.cols);
  const i64 k = i64(index.size()), n = m.view.rows;
  const ArrayArg hs = array_arg(h, "h", {n}), ms = array_arg(mean, "mean", {k}), cs = array_arg(curvature, "curvature", {k});
  if (!hs.data || !cs.data) refuse("h and curvature must be arrays");
  double *us = writeable(u, {n + 1}), *ws = writeable(w, {k});
  double total = 0.0;
  for (i64 i = 0; i < n; ++i) total += hs.data[i];
  const ColumnSet set{&m.view, index.data(), k, hs.data, ms.data, total};
  const QuadraticTask task{k, l1, l2, positive, max_epochs, tol_gap, tol_move};
  QuadraticResult r;
  {
    const nb::gil_scoped_release release;
    r = loops().coordinate.descend_columns(task, set, cs.data, us, ws);
  }
  return result_tuple(r);
}

static nb::tuple descend_group_columns(nb::handle x, IndexArg index, nb::handle h, nb::handle mean, nb::handle curvature,
                                       nb::handle u, nb::handle w, IndexArg start, nb::handle strength, nb::handle axes,
                                       i64 max_epochs, double tol_gap, double tol_move) {
  const MatrixArg m = matrix_arg(x);
  check_columns(m.view);
  check_index(index, m.view.cols);
  const i64 k = i64(index.size()), n = m.view.rows, groups = i64(start.size()) - 1;
  const i64 squares = check_groups(start, k);
  const ArrayArg hs = array_arg(h, "h", {n}), ms = array_arg(mean, "mean", {k}), cs = array_arg(curvature, "curvature", {k});
  const ArrayArg strengths = array_arg(strength, "strength", {groups}), vs = array_arg(axes, "axes", {squares});
  if (!hs.data || !cs.data || !strengths.data || !vs.data) refuse("h, curvature, strength and axes must be arrays");
  double *us = writeable(u, {n + 1}), *ws = writeable(w, {k});
  double total = 0.0;
  for (i64 i = 0; i < n; ++i) total += hs.data[i];
  const ColumnSet set{&m.view, index.data(), k, hs.data, ms.data, total};
  const GroupTask task{k, groups, start.data(), strengths.data, vs.data, max_epochs, tol_gap, tol_move};
  QuadraticResult r;
  {
    const nb::gil_scoped_release release;
    r = loops().coordinate.descend_group_columns(task, set, cs.data, us, ws);
  }
  return result_tuple(r);
}

static void gram_columns(nb::handle x, IndexArg index, nb::handle h, nb::handle mean, i64 first, nb::handle g) {
  const MatrixArg m = matrix_arg(x);
  if (m.view.storage != Storage::dense) refuse("X must be a dense array");
  check_index(index, m.view.cols);
  const i64 k = i64(index.size());
  if (first < 0 || first > k) refuse("first must lie between 0 and the number of columns");
  const ArrayArg hs = array_arg(h, "h", {m.view.rows}), ms = array_arg(mean, "mean", {k});
  if (!hs.data) refuse("h must be an array");
  const AnyArray gram = any_array(g, "G");
  const i64 ld = i64(gram.ndim() == 2 ? gram.shape(1) : 0);
  if (ld < k || i64(gram.shape(0)) < k) refuse("G is smaller than the number of columns");
  double* gs = writeable(g, {i64(gram.shape(0)), ld});
  const ColumnSet set{&m.view, index.data(), k, hs.data, ms.data, 0.0};
  const nb::gil_scoped_release release;
  loops().coordinate.gram_columns(set, first, gs, ld);
}

static nb::object columns_rmatvec(nb::handle x, std::optional<IndexArg> index, nb::handle u) {
  const MatrixArg m = matrix_arg(x);
  check_columns(m.view);
  if (index) check_index(*index, m.view.cols);
  const i64 k = index ? i64(index->size()) : m.view.cols;
  const ArrayArg us = array_arg(u, "u", {m.view.rows});
  if (!us.data) refuse("u must be an array");
  const Result out = new_result({k});
  {
    const nb::gil_scoped_release release;
    loops().coordinate.columns_rmatvec(m.view, index ? index->data() : nullptr, k, us.data, out.data);
  }
  return out.array;
}

static nb::object columns_matvec(nb::handle x, IndexArg index, nb::handle w) {
  const MatrixArg m = matrix_arg(x);
  check_columns(m.view);
  check_index(index, m.view.cols);
  const i64 k = i64(index.size());
  const ArrayArg ws = array_arg(w, "w", {k});
  if (!ws.data) refuse("w must be an array");
  const Result out = new_result({m.view.rows});
  {
    const nb::gil_scoped_release release;
    loops().coordinate.columns_matvec(m.view, index.data(), k, ws.data, out.data);
  }
  return out.array;
}

void bind_coordinate(nb::module_& m) {
  m.def("descend_gram", &descend_gram, nb::arg("G"), nb::arg("r_square"), nb::arg("q"), nb::arg("w"), nb::arg("l1"), nb::arg("l2"),
        nb::arg("positive"), nb::arg("max_epochs"), nb::arg("tol_gap"), nb::arg("tol_move"));
  m.def("descend_groups", &descend_groups, nb::arg("G"), nb::arg("r_square"), nb::arg("q"), nb::arg("w"), nb::arg("start"),
        nb::arg("strength"), nb::arg("max_epochs"), nb::arg("tol_gap"), nb::arg("tol_move"));
  m.def("descend_columns", &descend_columns, nb::arg("X"), nb::arg("index"), nb::arg("h"), nb::arg("mean").none(),
        nb::arg("curvature"), nb::arg("u"), nb::arg("w"), nb::arg("l1"), nb::arg("l2"), nb::arg("positive"), nb::arg("max_epochs"),
        nb::arg("tol_gap"), nb::arg("tol_move"));
  m.def("descend_group_columns", &descend_group_columns, nb::arg("X"), nb::arg("index"), nb::arg("h"), nb::arg("mean").none(),
        nb::arg("curvature"), nb::arg("u"), nb::arg("w"), nb::arg("start"), nb::arg("strength"), nb::arg("axes"),
        nb::arg("max_epochs"), nb::arg("tol_gap"), nb::arg("tol_move"));
  m.def("gram_columns", &gram_columns, nb::arg("X"), nb::arg("index"), nb::arg("h"), nb::arg("mean").none(), nb::arg("first"),
        nb::arg("G"));
  m.def("columns_rmatvec", &columns_rmatvec, nb::arg("X"), nb::arg("index").none(), nb::arg("u"));
  m.def("columns_matvec", &columns_matvec, nb::arg("X"), nb::arg("index"), nb::arg("w"));
}

}  // namespace empirisk
