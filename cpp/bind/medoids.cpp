// row_distances: a matrix of distances; medoid_gains, medoid_assign, medoid_exchange: medoids from it.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "clusters/cluster_table.hpp"

namespace empirisk {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static MatrixArg square(nb::handle distances) {
  MatrixArg d = matrix_arg(distances, "distances");
  if (d.view.storage != Storage::dense || d.view.rows != d.view.cols || d.view.rows < 1 || d.view.col_stride != 1 || d.view.row_stride != d.view.cols)
    refuse("distances must be a square array in C order");
  if (d.view.rows >= (i64(1) << 31)) refuse("distances must have fewer than 2^31 rows");
  return d;
}

static void distances_of(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> columns, i64 power, i64 begin, i64 end, nb::handle out) {
  const i64 p = i64(columns.shape(0)), n = i64(columns.shape(1));
  const MatrixArg to = square(out);
  if (to.view.rows != n) refuse("out must have a row for each column of `columns`");
  if (begin < 0 || end > n || begin > end) refuse("begin and end must lie in 0 .. n");
  if (power < 0 || power > 2) refuse("power must be 0, 1 or 2");
  const nb::gil_scoped_release release;
  cluster_loops().row_distances(columns.data(), n, p, power, begin, end, const_cast<void*>(to.view.data), to.view.is_float32);
}

static nb::object gains(nb::handle distances, nb::handle weight, nb::handle nearest, Flat<const i64> rows) {
  const MatrixArg d = square(distances);
  const ArrayArg w = array_arg(weight, "weight", {d.view.rows}), near = array_arg(nearest, "nearest", {d.view.rows});
  const i64 count = i64(rows.shape(0));
  for (i64 c = 0; c < count; ++c)
    if (rows.data()[c] < 0 || rows.data()[c] >= d.view.rows) refuse("rows must be numbers of rows");
  const Result gain = new_result({count});
  {
    const nb::gil_scoped_release release;
    cluster_loops().medoid_gains(d.view, w.data, near.data, rows.data(), count, gain.data);
  }
  return gain.array;
}

struct StateArg {
  MatrixArg distances;
  ArrayArg weight;
  MedoidState view;
};

static StateArg state_arg(nb::handle distances, nb::handle weight, Flat<i64>& medoids, Flat<std::int32_t>& near, Flat<double>& apart) {
  StateArg s{square(distances), {}, {}};
  const i64 n = s.distances.view.rows, K = i64(medoids.shape(0));
  s.weight = array_arg(weight, "weight", {n});
  if (K < 1 || K > n) refuse("there must be 1 to n medoids");
  for (i64 k = 0; k < K; ++k)
    if (medoids.data()[k] < 0 || medoids.data()[k] >= n) refuse("medoids must be numbers of rows");
  if (i64(near.shape(0)) != 2 * n || i64(apart.shape(0)) != 2 * n) refuse("near and apart must have 2 n numbers");
  s.view.distances = s.distances.view;
  s.view.weight = s.weight.data;
  s.view.n = n;
  s.view.groups = K;
  s.view.medoids = medoids.data();
  s.view.near = near.data();
  s.view.second = near.data() + n;
  s.view.first_distance = apart.data();
  s.view.second_distance = apart.data() + n;
  return s;
}

static void assign(nb::handle distances, nb::handle weight, Flat<i64> medoids, Flat<std::int32_t> near, Flat<double> apart) {
  const StateArg s = state_arg(distances, weight, medoids, near, apart);
  const nb::gil_scoped_release release;
  cluster_loops().medoid_assign(s.view);
}

static std::tuple<i64, i64, i64, double> exchange(nb::handle distances, nb::handle weight, Flat<i64> medoids, Flat<std::int32_t> near, Flat<double> apart,
                                                 std::tuple<i64, i64, i64, double> at, double least_gain, i64 candidates) {
  const StateArg s = state_arg(distances, weight, medoids, near, apart);
  for (i64 o = 0; o < s.view.n; ++o)
    if (s.view.near[o] < 0 || s.view.near[o] >= s.view.groups) refuse("near must hold numbers of medoids: call medoid_assign first");
  MedoidSearch search{std::get<0>(at), std::get<1>(at), std::get<2>(at), std::get<3>(at)};
  if (search.position < 0 || search.position >= s.view.n || search.unchanged < 0) refuse("at does not say where a search stands");
  {
    const nb::gil_scoped_release release;
    cluster_loops().medoid_exchange(s.view, search, least_gain, candidates);
  }
  return {search.position, search.unchanged, search.exchanges, search.best};
}

void bind_medoids(nb::module_& m) {
  m.def("row_distances", &distances_of, nb::arg("columns"), nb::arg("power"), nb::arg("begin"), nb::arg("end"), nb::arg("out"));
  m.def("medoid_gains", &gains, nb::arg("distances"), nb::arg("weight").none(), nb::arg("nearest").none(), nb::arg("rows"));
  m.def("medoid_assign", &assign, nb::arg("distances"), nb::arg("weight").none(), nb::arg("medoids"), nb::arg("near"), nb::arg("apart"));
  m.def("medoid_exchange", &exchange, nb::arg("distances"), nb::arg("weight").none(), nb::arg("medoids"), nb::arg("near"), nb::arg("apart"),
        nb::arg("at"), nb::arg("least_gain"), nb::arg("candidates"));
}

}  // namespace empirisk
