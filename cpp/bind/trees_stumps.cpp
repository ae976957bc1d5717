// stump_columns: sorted columns; best_stump: the search of one round; vote_step: what it does to the rows. Compiled once: the loops
// wait for memory.
#define EMPIRISK_ISA stumps
#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "trees/stump_columns.hpp"
#include "trees/stump_search.hpp"
#include "trees/vote_step.hpp"

namespace empirisk {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Plane = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
static nb::object hand_over(std::vector<T>& field) {
  auto* const all = new std::vector<T>(std::move(field));
  const nb::capsule owner(all, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(all->data(), {all->size()}, owner));
}

static std::tuple<nb::object, nb::object, nb::object, nb::object> sort_all(nb::handle X, Flat<const i64> n_categories) {
  const MatrixArg x = matrix_arg(X);
  if (x.view.storage == Storage::csr) refuse("X must be dense or CSC");
  if (x.view.rows < 1 || x.view.rows >= (i64(1) << 31)) refuse("X must have 1 to 2^31 - 1 rows");
  if (i64(n_categories.size()) != x.view.cols) refuse("n_categories must have one entry for each column");
  StumpColumns c;
  {
    const nb::gil_scoped_release release;
    c = stump_columns(x.view, n_categories.data());
  }
  return {hand_over(c.order), hand_over(c.order_start), hand_over(c.missing), hand_over(c.missing_start)};
}

static void check_starts(const Flat<const i64>& start, i64 p, std::size_t size, const char* name) {
  if (i64(start.size()) != p + 1 || start.data()[0] != 0 || start.data()[p] != i64(size))
    refuse(std::string(name) + " does not delimit the rows of each column");
  for (i64 j = 0; j < p; ++j)
    if (start.data()[j] > start.data()[j + 1]) refuse(std::string(name) + " must not fall");
}

// Whole weights, signed by the class where there are two.
static void whole_weights(const double* weight, const std::int32_t* y, i64 n, int n_classes, double scale, i64* q) {
  for (i64 i = 0; i < n; ++i) {
    const i64 whole = i64(weight[i] * scale + 0.5);
    q[i] = n_classes == 2 && y[i] == 0 ? -whole : whole;
  }
}

static void mark(const StumpRows& d, const StumpCut& c, const std::int32_t* codes, std::int32_t* leaf, std::uint32_t* words) {
  if (c.column < 0) return std::fill_n(leaf, d.n, 0), void();
  std::fill_n(leaf, d.n, 1);
  if (codes) {
    std::vector<i64> missing(std::size_t(d.width()));
    const i64 categories = d.n_categories[c.column];
    CategorySums work;
    work.sums.resize(std::size_t(categories * d.width())), work.share.resize(std::size_t(categories));
    work.sorted.resize(std::size_t(categories));
    work.collect(d, c.column, codes, missing.data());
    work.sort(categories, d.n_classes, c.key);
    for (i64 k = 0; k < c.cut; ++k) words[work.sorted[k] / 32] |= std::uint32_t(1) << (work.sorted[k] % 32);
    for (i64 i = 0; i < d.n; ++i)
      if (codes[i] >= 0 && (words[codes[i] / 32] >> (codes[i] % 32) & 1)) leaf[i] = 0;
  } else {
    const std::uint32_t* order = d.order + d.order_start[c.column];
    for (i64 k = 0; k < c.cut; ++k) leaf[order[k] >> 1] = 0;
  }
  for (i64 k = d.missing_start[c.column]; c.missing_left && k < d.missing_start[c.column + 1]; ++k) leaf[d.missing[k]] = 0;
}

static std::tuple<i64, i64, bool, double> best_stump(Flat<const double> weight, double scale, Flat<const std::int32_t> y, int n_classes, bool real,
                                                     Flat<const std::uint32_t> order, Flat<const i64> order_start, Flat<const std::uint32_t> missing,
                                                     Flat<const i64> missing_start, Plane<const std::int32_t> codes, Flat<const i64> n_categories,
                                                     Flat<i64> q, Flat<std::int32_t> leaf, Flat<std::uint32_t> words) {
  const i64 n = i64(weight.size()), p = i64(n_categories.size());
  if (i64(y.size()) != n || i64(q.size()) != n || i64(leaf.size()) != n) refuse("weight, y, q and leaf must have one entry for each row");
  if (n_classes < 2 || p < 1) refuse("at least two classes and one column are needed");
  check_starts(order_start, p, order.size(), "order_start");
  check_starts(missing_start, p, missing.size(), "missing_start");
  StumpRows d{n, p, n_classes, y.data(), q.data(), order.data(), order_start.data(), missing.data(), missing_start.data(),
              codes.data(), n_categories.data()};
  std::vector<const std::int32_t*> of_column(std::size_t(p), nullptr);
  i64 categorical = 0, most = 0;
  for (i64 j = 0; j < p; ++j) {
    if (n_categories.data()[j] == 0) continue;
    most = std::max(most, n_categories.data()[j]);
    of_column[j] = codes.data() + n * categorical++;
  }
  if (categorical != i64(codes.shape(0)) || (categorical && i64(codes.shape(1)) != n)) refuse("codes must have one row for each categorical column");
  if (i64(words.size()) < (most + 31) / 32) refuse("words is too short");
  const nb::gil_scoped_release release;
  whole_weights(weight.data(), y.data(), n, n_classes, scale * stump_unit, q.data());
  const int threads = stumps::threads_for(2 * n * p, p);
  const auto by = [&]<class Sums>() { return StumpSearch<Sums>(d, of_column, threads).run(); };
  const StumpCut best = n_classes == 2 ? (real ? by.template operator()<NormaliserSums>() : by.template operator()<EdgeSums>())
                                       : (real ? by.template operator()<PuritySums>() : by.template operator()<MajoritySums>());
  std::fill_n(words.data(), words.size(), 0);
  mark(d, best, best.column < 0 ? nullptr : of_column[best.column], leaf.data(), words.data());
  return {best.column, best.cut, best.missing_left, best.score};
}

static std::tuple<double, double, double, double> step(Flat<const std::int32_t> y, Flat<const double> base, Flat<const std::int32_t> leaf,
                                                       Plane<const double> value, Plane<const double> factor, Plane<double> score, Flat<double> weight) {
  const i64 n = i64(y.size()), leaves = i64(value.shape(0));
  if (i64(base.size()) != n || i64(leaf.size()) != n || i64(score.shape(0)) != n || i64(weight.size()) != n)
    refuse("y, base, leaf, score and weight must have one entry for each row");
  if (i64(factor.shape(0)) != leaves || value.shape(1) != score.shape(1)) refuse("value, factor and score do not fit together");
  VoteStep s{n, int(score.shape(1)), int(factor.shape(1)), y.data(), base.data(), leaf.data(), value.data(), factor.data(), score.data(), weight.data()};
  for (i64 i = 0; i < n; ++i)
    if (leaf.data()[i] < 0 || leaf.data()[i] >= leaves || y.data()[i] < 0 || y.data()[i] >= s.n_classes) refuse("leaf or y names a place that does not exist");
  const nb::gil_scoped_release release;
  const VoteSums sums = vote_step(s);
  return {sums.weight, sums.error, sums.loss, sums.least};
}

void bind_trees_stumps(nb::module_& m) {
  m.def("stump_columns", &sort_all, nb::arg("X"), nb::arg("n_categories"));
  m.def("best_stump", &best_stump, nb::arg("weight"), nb::arg("scale"), nb::arg("y"), nb::arg("n_classes"), nb::arg("real"), nb::arg("order"),
        nb::arg("order_start"), nb::arg("missing"), nb::arg("missing_start"), nb::arg("codes"), nb::arg("n_categories"), nb::arg("q"), nb::arg("leaf"),
        nb::arg("words"));
  m.def("vote_step", &step, nb::arg("y"), nb::arg("base"), nb::arg("leaf"), nb::arg("value"), nb::arg("factor"), nb::arg("score"), nb::arg("weight"));
}

}  // namespace empirisk
