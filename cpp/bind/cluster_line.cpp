// line_sums, line_layer: the optimal split of sorted values.
#include <cmath>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "clusters/cluster_table.hpp"

namespace empirisk {

template <class T>
using Numbers = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

// A number as a pair, and prefix sums of such numbers (Knuth's and Dekker's sums).
static void add_to(double& high, double& low, double h, double l) {
  const double s = high + h, t = s - high, error = (high - (s - t)) + (h - t) + (low + l);
  high = s + error;
  low = error - (high - s);
}

static nb::object sums(nb::handle values, nb::handle weights, double shift) {
  const AnyArray shape = any_array(values, "values");
  if (shape.ndim() != 1) refuse("values must have one dimension");
  const i64 n = i64(shape.shape(0));
  const ArrayArg x = array_arg(values, "values", {n}), w = array_arg(weights, "weights", {n});
  const Result out = new_result({6, n + 1});
  double at[6] = {};
  for (i64 i = 0; i <= n; ++i) {
    for (int part = 0; part < 6; ++part) out.data[part * (n + 1) + i] = at[part];
    if (i == n) break;
    const double h = x.data[i] - shift, t = h - x.data[i], l = (x.data[i] - (h - t)) - (shift + t), s = w.data[i];
    const double sh = s * h, square = h * h, ss = s * square;
    add_to(at[0], at[1], s, 0.0);
    add_to(at[2], at[3], sh, std::fma(s, h, -sh) + s * l);
    add_to(at[4], at[5], ss, std::fma(s, square, -ss) + s * (std::fma(h, h, -square) + 2.0 * h * l));
  }
  return out.array;
}

static i64 layer(Numbers<const double> sums, i64 groups, i64 last, Numbers<const double> before, nb::handle at_least, double ceiling,
                 Numbers<double> cost, Numbers<std::int32_t> start) {
  if (sums.ndim() != 2 || sums.shape(0) != 6 || sums.shape(1) < 2) refuse("sums must have shape (6, n + 1)");
  const i64 n = i64(sums.shape(1)) - 1;
  const auto fits = [n](const auto& a) { return a.ndim() == 1 && i64(a.shape(0)) == n + 1; };
  if (n >= (i64(1) << 31) - 1) refuse("there must be fewer than 2^31 - 1 values");
  if (groups < 1 || last < groups - 1 || last > n) refuse("groups must be at least 1, and last at least groups - 1 and at most n");
  if (!fits(before) || !fits(cost) || !fits(start)) refuse("before, cost and start must have n + 1 numbers");
  LineLayer problem;
  problem.sums.n = n;
  for (int part = 0; part < 6; ++part) problem.sums.parts[part] = sums.data() + part * (n + 1);
  problem.groups = groups;
  problem.last = last;
  problem.before = before.data();
  Numbers<const std::int32_t> bound;
  if (!at_least.is_none()) {
    if (!nb::try_cast(at_least, bound, false) || !fits(bound)) refuse("at_least must be int32, with n + 1 numbers");
    for (i64 i = groups; i <= last; ++i)
      if (bound.data()[i] < 0 || bound.data()[i] > last) refuse("at_least must lie in 0 .. last");
    problem.at_least = bound.data();
  }
  problem.ceiling = ceiling;
  problem.cost = cost.data();
  problem.start = start.data();
  const nb::gil_scoped_release release;
  return cluster_loops().line_layer(problem);
}

void bind_cluster_line(nb::module_& m) {
  m.def("line_sums", &sums, nb::arg("values"), nb::arg("weights"), nb::arg("shift"));
  m.def("line_layer", &layer, nb::arg("sums"), nb::arg("groups"), nb::arg("last"), nb::arg("before"), nb::arg("at_least").none(),
        nb::arg("ceiling"), nb::arg("cost"), nb::arg("start"));
}

}  // namespace empirisk
