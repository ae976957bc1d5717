// optimal_tree: the best tree of a small depth by branch and bound. Compiled once: the loops wait for memory.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "trees/optimal_tree.hpp"

namespace empirisk {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Plane = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Stops the search when the time is up, or when Python has a signal (Ctrl-C), which is raised afterwards.
class Clock {
 public:
  explicit Clock(double seconds) : end_(now() + seconds), next_(now() + 0.1) {}
  bool operator()() {
    const double t = now();
    if (t >= end_) return true;
    if (t < next_) return false;
    next_ = t + 0.1;
    const nb::gil_scoped_acquire hold;
    interrupted = interrupted || PyErr_CheckSignals() != 0;
    return interrupted;
  }
  bool interrupted = false;

 private:
  static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
  double end_, next_;
};

static nb::object optimal_tree(Plane<const std::int32_t> rank, std::optional<Flat<const std::int32_t>> label, std::optional<Flat<const double>> y,
                               Flat<const double> weight, int n_classes, double leaf_penalty, int depth, double seconds) {
  RankedRows d;
  d.p = std::int32_t(rank.shape(0)), d.n = std::int64_t(rank.shape(1)), d.rank = rank.data(), d.weight = weight.data();
  d.n_classes = n_classes, d.leaf_penalty = leaf_penalty;
  if (label.has_value() == y.has_value()) refuse("give label or y");
  const std::size_t given = label ? label->size() : y->size();
  if (d.p < 1 || d.n < 1 || given != std::size_t(d.n) || weight.size() != std::size_t(d.n)) refuse("rank, label, y and weight do not fit together");
  if (depth < 0 || depth > 7) refuse("depth must lie in 0 .. 7");
  if (label) {
    d.label = label->data();
    for (std::int64_t i = 0; i < d.n; ++i)
      if (d.label[i] < 0 || d.label[i] >= n_classes) refuse("label names a class that does not exist");
  } else {
    d.y = y->data();
  }
  Clock clock(seconds);
  OptimalFit fit;
  {
    const nb::gil_scoped_release release;
    const auto stop = [&clock] { return clock(); };
    if (label) fit = OptimalSearch<ErrorSums>(d, stop).run(depth);
    else fit = OptimalSearch<SquareSums>(d, stop).run(depth);
  }
  if (clock.interrupted) throw nb::python_error();
  std::vector<std::int32_t> column, low, high;
  for (const RankCut& c : fit.cuts) column.push_back(c.column), low.push_back(c.low), high.push_back(c.high);
  return nb::make_tuple(fit.cost, fit.bound, column, low, high);
}

void bind_trees_optimal(nb::module_& m) {
  m.def("optimal_tree", &optimal_tree, nb::arg("rank"), nb::arg("label").none(), nb::arg("y").none(), nb::arg("weight"), nb::arg("n_classes"),
        nb::arg("leaf_penalty"), nb::arg("depth"), nb::arg("seconds"));
}

}  // namespace empirisk
