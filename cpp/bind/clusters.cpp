// nearest_centers, nearest_centers_bounded, cluster_sums, seed_step.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "clusters/cluster_table.hpp"

namespace empirisk {

template <class T, std::size_t N>
using Given = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

static MatrixArg rows_arg(nb::handle x) {
  MatrixArg arg = matrix_arg(x);
  if (arg.view.storage == Storage::csc || (arg.view.storage == Storage::dense && arg.view.col_stride != 1))
    refuse("X must be CSR, or dense with the columns of a row side by side");
  return arg;
}

template <class T, std::size_t N>
static Given<T, N> exact_arg(nb::handle h, const char* name, const std::vector<i64>& shape) {
  Given<T, N> a;
  bool same = nb::try_cast(h, a, false);
  for (std::size_t i = 0; same && i < N; ++i) same = i64(a.shape(i)) == shape[i];
  if (!same) refuse(std::string(name) + " has another number format, shape or order than the loop writes");
  return a;
}

static void assign_centers(nb::handle x, nb::handle centers, nb::handle shift, nb::handle label, nb::handle square) {
  const MatrixArg rows = rows_arg(x);
  const i64 n = rows.view.rows, p = rows.view.cols;
  const auto given = exact_arg<const double, 2>(centers, "centers", {i64(nb::len(centers)), p});
  const ArrayArg middle = array_arg(shift, "shift", {p});
  AssignProblem problem;
  problem.x = rows.view;
  problem.centers = given.data();
  problem.k = i64(given.shape(0));
  if (problem.k < 1) refuse("centers has no rows");
  problem.shift = middle.data;
  problem.label = exact_arg<std::int32_t, 1>(label, "label", {n}).data();
  if (!square.is_none()) problem.square = exact_arg<double, 1>(square, "square", {n}).data();
  const nb::gil_scoped_release release;
  cluster_loops().assign(problem);
}

static nb::tuple assign_centers_bounded(nb::handle x, nb::handle centers, nb::handle shift, nb::handle order, nb::handle square, nb::handle walked,
                                  nb::handle group_walked, nb::handle upper, nb::handle lower, nb::handle label) {
  const MatrixArg rows = rows_arg(x);
  const i64 n = rows.view.rows, p = rows.view.cols, k = i64(nb::len(centers));
  Given<const i64, 2> places;
  if (!nb::try_cast(order, places, false)) refuse("order must be int64 of two dimensions");
  const i64 groups = i64(places.shape(0)), size = i64(places.shape(1)), width = cluster_loops().lanes(rows.view.is_float32);
  if (groups < 1 || groups > 64 || size % width != 0) refuse("order must have 1 to 64 rows and whole panels of columns");
  for (i64 i = 0; i < groups * size; ++i)
    if (places.data()[i] < -1 || places.data()[i] >= k) refuse("order names a centre that does not exist");
  const auto given = exact_arg<const double, 2>(centers, "centers", {k, p});
  const ArrayArg middle = array_arg(shift, "shift", {p});
  BoundedProblem problem;
  problem.x = rows.view;
  problem.centers = given.data();
  problem.k = k;
  problem.shift = middle.data;
  problem.order = places.data();
  problem.groups = groups;
  problem.size = size;
  problem.square = exact_arg<const double, 1>(square, "square", {n}).data();
  problem.walked = exact_arg<const double, 1>(walked, "walked", {k}).data();
  problem.group_walked = exact_arg<const double, 1>(group_walked, "group_walked", {groups}).data();
  problem.upper = exact_arg<float, 1>(upper, "upper", {n}).data();
  problem.lower = exact_arg<float, 2>(lower, "lower", {groups, n}).data();
  problem.label = exact_arg<std::int32_t, 1>(label, "label", {n}).data();
  BoundedCount count;
  {
    const nb::gil_scoped_release release;
    count = cluster_loops().assign_bounded(problem);
  }
  return nb::make_tuple(count.moved, count.looked);
}

static void sums(nb::handle x, nb::handle weight, nb::handle label, nb::handle before, nb::handle shift, nb::handle sum, nb::handle mass) {
  const MatrixArg rows = rows_arg(x);
  const i64 n = rows.view.rows, p = rows.view.cols;
  const ArrayArg s = array_arg(weight, "weight", {n}), middle = array_arg(shift, "shift", {p});
  if (middle.data && rows.view.storage == Storage::csr) refuse("CSR rows are not shifted");
  SumProblem problem;
  problem.x = rows.view;
  problem.weight = s.data;
  problem.label = exact_arg<const std::int32_t, 1>(label, "label", {n}).data();
  if (!before.is_none()) problem.before = exact_arg<const std::int32_t, 1>(before, "before", {n}).data();
  problem.shift = middle.data;
  problem.k = i64(nb::len(mass));
  problem.sum = exact_arg<double, 2>(sum, "sum", {problem.k, p}).data();
  problem.mass = exact_arg<double, 1>(mass, "mass", {problem.k}).data();
  for (const std::int32_t* each : {problem.label, problem.before})
    for (i64 i = 0; each && i < n; ++i)
      if (each[i] < -1 || each[i] >= problem.k) refuse("label names a cluster that does not exist");
  const nb::gil_scoped_release release;
  cluster_loops().cluster_sums(problem);
}

static nb::object seeds(nb::handle x, nb::handle weight, nb::handle candidate, i64 taken, nb::handle square) {
  const MatrixArg rows = rows_arg(x);
  const i64 n = rows.view.rows;
  const ArrayArg s = array_arg(weight, "weight", {n});
  Given<const i64, 1> names;
  if (!nb::try_cast(candidate, names, false)) refuse("candidate must be int64 of one dimension");
  const i64 count = i64(names.shape(0));
  for (i64 c = 0; c < count; ++c)
    if (names.data()[c] < 0 || names.data()[c] >= n) refuse("candidate names a row that does not exist");
  const AnyArray kept = any_array(square, "square");
  const i64 room = kept.ndim() == 2 ? i64(kept.shape(1)) : 0;
  SeedProblem problem;
  if (rows.view.is_float32) problem.square = exact_arg<float, 2>(square, "square", {n, room}).data();
  else problem.square = exact_arg<double, 2>(square, "square", {n, room}).data();
  if (count < 1 || count > room || taken < -1 || taken >= room) refuse("square must have a column for each candidate");
  problem.x = rows.view;
  problem.weight = s.data;
  problem.candidate = names.data();
  problem.count = count;
  problem.taken = taken;
  problem.room = room;
  const Result total = new_result({(n + seed_chunk - 1) / seed_chunk, count});
  problem.total = total.data;
  {
    const nb::gil_scoped_release release;
    cluster_loops().seed_step(problem);
  }
  return total.array;
}

void bind_clusters(nb::module_& m) {
  m.def("nearest_centers", &assign_centers, nb::arg("X"), nb::arg("centers"), nb::arg("shift").none(), nb::arg("label"),
        nb::arg("square") = nb::none());
  m.def("nearest_centers_bounded", &assign_centers_bounded, nb::arg("X"), nb::arg("centers"), nb::arg("shift").none(), nb::arg("order"),
        nb::arg("square"), nb::arg("walked"), nb::arg("group_walked"), nb::arg("upper"), nb::arg("lower"), nb::arg("label"));
  m.def("panel_width", [](bool is_float32) { return cluster_loops().lanes(is_float32); }, nb::arg("is_float32"));
  m.def("cluster_sums", &sums, nb::arg("X"), nb::arg("weight").none(), nb::arg("label"), nb::arg("before").none(), nb::arg("shift").none(),
        nb::arg("sum"), nb::arg("mass"));
  m.def("seed_step", &seeds, nb::arg("X"), nb::arg("weight").none(), nb::arg("candidate"), nb::arg("taken"), nb::arg("square"));
  m.attr("SEED_CHUNK") = seed_chunk;
}

}  // namespace empirisk
