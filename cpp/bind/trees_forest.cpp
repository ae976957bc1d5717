// grow_forest: many trees on binned rows; bag_counts: which rows a tree drew.
#define EMPIRISK_ISA forest
#include <nanobind/stl/optional.h>

#include <limits>
#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "trees/forest.hpp"
#include "trees/forest_classes.hpp"
#include "trees/forest_medians.hpp"
#include "trees/forest_vectors.hpp"

namespace empirisk {

namespace {

using namespace forest;

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = nb::ndarray<const u8, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_book(const Columns& columns, const Flat<const i64>& n_bins, const Flat<const i64>& n_categories, const Flat<const i64>& cut_start,
                const Flat<const double>& cuts, const Flat<const i64>& code_start, const Flat<const u8>& codes) {
  const std::size_t p = columns.shape(0);
  if (n_bins.size() != p || n_categories.size() != p || cut_start.size() != p + 1 || code_start.size() != p + 1)
    refuse("n_bins, n_categories, cut_start and code_start must fit the columns");
  for (std::size_t j = 0; j < p; ++j) {
    const i64 cut = cut_start.data()[j + 1] - cut_start.data()[j], code = code_start.data()[j + 1] - code_start.data()[j];
    if (cut < 0 || code < 0 || n_bins.data()[j] < 1 || n_bins.data()[j] > 255) refuse("cuts, codes and n_bins are no code book");
    if (n_categories.data()[j] > 0 ? code != n_categories.data()[j] : cut + 1 != n_bins.data()[j]) refuse("n_bins does not fit the cuts or codes");
  }
  if (cut_start.data()[p] != i64(cuts.size()) || code_start.data()[p] != i64(codes.size())) refuse("cuts or codes have another length");
}

Bag bag_of(i64 n, i64 draws, const std::optional<Flat<const double>>& below, const std::optional<Flat<const i32>>& guide) {
  if (n < 1 || n > std::numeric_limits<i32>::max() || draws < 0 || draws > std::numeric_limits<i32>::max())
    refuse("between 1 and 2^31 - 1 rows and draws are allowed");
  Bag bag{n, draws, nullptr, nullptr};
  if (below && guide) {
    if (i64(below->size()) != n || i64(guide->size()) != n) refuse("below and guide must have one entry for each row");
    for (i64 i = 0; i < n; ++i)
      if (guide->data()[i] < 0 || guide->data()[i] >= n) refuse("guide names a row that does not exist");
    bag.below = below->data(), bag.guide = guide->data();
  }
  return bag;
}

// One field of all trees as an array of NumPy, in the memory that it was joined in.
template <class T>
nb::object array_of(GrowingArray<T>& field) {
  const std::size_t size = field.size();
  T* const all = field.release();
  const nb::capsule owner(all, [](void* p) noexcept { std::free(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(all, {size}, owner));
}

nb::dict to_arrays(Grove& trees) {
  nb::dict out;
  out["feature"] = array_of(trees.feature), out["left"] = array_of(trees.left);
  out["threshold"] = array_of(trees.threshold), out["value"] = array_of(trees.value);
  out["weight"] = array_of(trees.weight), out["gain"] = array_of(trees.gain);
  out["heterogeneity"] = array_of(trees.heterogeneity), out["missing_left"] = array_of(trees.missing_left);
  out["count"] = array_of(trees.count), out["category_words"] = array_of(trees.category_words);
  out["category_start"] = trees.category_start.size() ? array_of(trees.category_start) : nb::object(nb::none());
  const Result starts = new_result({i64(trees.start.size())});
  std::copy(trees.start.begin(), trees.start.end(), starts.data);
  out["start"] = starts.array;
  return out;
}

template <class GoOn>
Ending grow_by_name(const std::string& criterion, const ForestData& d, i64 first, Grove& trees, const OutOfBag& out, int threads,
                    const GoOn& go_on) {
  const auto moments = [&](const auto& gain) {
    using Gain = std::decay_t<decltype(gain)>;
    if (d.weight || d.balanced) return grow_forest<MomentModel<WeightedRows, Gain>>(d, gain, first, trees, out, threads, go_on);
    if (d.n_classes == 0) return grow_forest<MomentModel<NumberRows, Gain>>(d, gain, first, trees, out, threads, go_on);
    return grow_forest<MomentModel<CountRows, Gain>>(d, gain, first, trees, out, threads, go_on);
  };
  if (d.part && criterion == "squared_error") return grow_forest<VectorModel<VectorSpread>>(d, VectorSpread{}, first, trees, out, threads, go_on);
  if (d.part) {
    const auto shares = [&](auto score) {
      using Gain = VectorScore<decltype(score)>;
      return grow_forest<VectorModel<Gain>>(d, Gain{score, {}}, first, trees, out, threads, go_on);
    };
    return criterion == "gini" ? shares(GiniScore{}) : criterion == "entropy" ? shares(EntropyScore{}) : shares(ErrorScore{});
  }
  if (d.n_classes > 2) {
    if (criterion == "gini") return grow_forest<ClassModel<GiniTally>>(d, NoGain{}, first, trees, out, threads, go_on);
    if (criterion == "entropy") return grow_forest<ClassModel<EntropyTally>>(d, NoGain{}, first, trees, out, threads, go_on);
    return grow_forest<ClassModel<ErrorTally>>(d, NoGain{}, first, trees, out, threads, go_on);
  }
  if (criterion == "absolute_error") return grow_forest<MedianModel>(d, NoGain{}, first, trees, out, threads, go_on);
  if (criterion == "gini") return moments(SpreadGain{2.0});
  if (criterion == "entropy") return moments(ScoreGain<TwoClassEntropyScore>{});
  if (criterion == "misclassification") return moments(ScoreGain<TwoClassErrorScore>{});
  if (criterion == "poisson") return moments(ScoreGain<PoissonScore>{});
  return moments(SpreadGain{1.0});
}

nb::dict grow(Columns columns, Flat<const i64> n_bins, Flat<const i64> n_categories, Flat<const i64> cut_start, Flat<const double> cuts,
              Flat<const i64> code_start, Flat<const u8> codes, Flat<const double> y, std::optional<Flat<const double>> weight, int n_classes,
              std::optional<Flat<const i64>> part, const std::string& criterion, i64 draws, bool balanced, std::optional<Flat<const double>> below, std::optional<Flat<const i32>> guide, i64 max_depth,
              i64 max_leaves, i64 min_rows_split, i64 min_rows_leaf, double min_weight_leaf, double min_gain, i64 max_features, bool random_cuts,
              std::optional<Flat<const std::int8_t>> monotonic, std::optional<Flat<const double>> unit, i64 groups, std::uint64_t seed, i64 first, i64 n_trees) {
  check_book(columns, n_bins, n_categories, cut_start, cuts, code_start, codes);
  const i64 n = i64(columns.shape(1)), p = i64(columns.shape(0));
  const bool shares = criterion == "gini" || criterion == "entropy" || criterion == "misclassification";
  const bool medians = criterion == "absolute_error";
  if (!shares && !medians && criterion != "squared_error" && criterion != "poisson")
    refuse("no loop for the criterion " + criterion + ": add its functor to trees/criteria.hpp and a row to grow_by_name of bind/trees_forest.cpp");
  const i64 targets = part ? i64(part->size()) - 1 : 1, columns_of_y = part ? part->data()[part->size() - 1] : 1;
  if (part) {
    if (targets < 1 || part->data()[0] != 0) refuse("part must begin at 0 and hold the end of each target");
    for (i64 t = 0; t < targets; ++t)
      if (part->data()[t + 1] - part->data()[t] < (shares ? 2 : 1) || (!shares && part->data()[t + 1] != t + 1)) refuse("part does not fit the criterion");
    if (n_classes != 0 || balanced || monotonic || medians || criterion == "poisson")
      refuse("several targets together take squared errors or shares, without monotonic columns and balanced classes");
  } else if (shares != (n_classes > 0)) {
    refuse("criterion does not fit n_classes");
  }
  if (i64(y.size()) != n * columns_of_y || (weight && i64(weight->size()) != n)) refuse("y and weight must have one entry for each row");
  if (monotonic && (i64(monotonic->size()) != p || n_classes > 2 || medians))
    refuse("monotonic needs one sign for each column, and one mean in each leaf: at most two classes, no medians");
  if (balanced && (n_classes == 0 || draws == 0 || weight)) refuse("balanced needs classes and draws, and no weights besides");
  if (n > (i64(1) << 30)) refuse("a tree on more than 2^30 rows can have more nodes than 32 bits number");
  if (first < 0 || n_trees < 1 || groups < 1 || n_classes < 0 || n_classes == 1) refuse("first, n_trees or n_classes is out of range");
  for (i64 i = 0; n_classes > 0 && i < n; ++i)
    if (!(y.data()[i] >= 0.0 && y.data()[i] < n_classes)) refuse("y holds no class code");
  ForestData d;
  d.book = {p, n_bins.data(), cut_start.data(), cuts.data(), code_start.data(), codes.data(), n_categories.data()};
  d.n = n, d.stride = code_stride(p), d.y = y.data(), d.weight = weight ? weight->data() : nullptr, d.n_classes = n_classes;
  if (part) d.n_targets = targets, d.n_columns = columns_of_y, d.part = part->data();
  d.bag = bag_of(n, draws, below, guide), d.balanced = balanced;
  std::vector<i32> order(std::size_t(medians ? n : 0));
  if (medians) {
    std::iota(order.begin(), order.end(), i32(0));
    std::stable_sort(order.begin(), order.end(), [&](i32 s, i32 t) { return y.data()[s] < y.data()[t]; });
    d.order = order.data();
  }
  d.limits = {max_depth, max_leaves, min_rows_split, min_rows_leaf, min_weight_leaf, min_gain, max_features, seed};
  d.random_cuts = random_cuts, d.monotonic = monotonic ? monotonic->data() : nullptr, d.keep_positive = criterion == "poisson";
  const i64 k = part ? columns_of_y : std::max(1, n_classes), seen_rows = groups * n;
  if (unit && i64(unit->size()) != k) refuse("unit must have one entry for each value");
  // The sums are integers while the trees grow, and become numbers in the same memory.
  const Result total = new_result({seen_rows, k});
  std::int64_t* const sums = reinterpret_cast<std::int64_t*>(total.data);
  for (i64 i = 0; i < seen_rows * k; ++i) new (sums + i) std::int64_t(0);
  auto* const seen = new std::vector<std::int32_t>(std::size_t(seen_rows));
  const nb::capsule owner(seen, [](void* q) noexcept { delete static_cast<std::vector<std::int32_t>*>(q); });
  Grove trees(n_trees);
  Ending ending;
  {
    const nb::gil_scoped_release release;
    Buffer<u8> rows(n * d.stride);
    codes_by_row(columns.data(), n, p, rows.data());
    d.codes = rows.data();
    const OutOfBag out{unit ? sums : nullptr, seen->data(), k, unit ? unit->data() : nullptr, groups};
    const auto go_on = [](int thread) {  // Ctrl-C reaches the thread that Python called
      if (thread != 0) return true;
      const nb::gil_scoped_acquire acquire;
      return PyErr_CheckSignals() == 0;
    };
    ending = grow_by_name(criterion, d, first, trees, out, threads_for(n * p * n_trees, n_trees), go_on);
  }
  if (ending == Ending::stopped) throw nb::python_error();
  if (ending == Ending::no_memory) throw std::bad_alloc();
  nb::dict result = to_arrays(trees);
  for (i64 i = 0; i < seen_rows * k; ++i) {
    const std::int64_t sum = sums[i];
    new (total.data + i) double(unit ? double(sum) * unit->data()[i % k] : 0.0);
  }
  result["oob_sums"] = total.array;
  result["oob_trees"] = nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(seen->data(), {std::size_t(groups), std::size_t(n)}, owner));
  return result;
}

void bag_counts(i64 draws, std::optional<Flat<const double>> below, std::optional<Flat<const i32>> guide, std::uint64_t seed, i64 first,
                nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
  const i64 n = i64(out.shape(0)), T = i64(out.shape(1));
  const Bag bag = bag_of(n, draws, below, guide);
  const nb::gil_scoped_release release;
  for_chunks(T, threads_for(draws * T, T), [&](i64 t, int) {
    std::vector<i32> counts(std::size_t(n), draws == 0 ? 1 : 0);
    draw_bag(bag, seed, u64(first + t), counts.data());
    for (i64 i = 0; i < n; ++i) out.data()[i * T + t] = counts[std::size_t(i)];
  });
}

}  // namespace

void bind_trees_forest(nb::module_& m) {
  m.def("grow_forest", &grow, nb::arg("columns"), nb::arg("n_bins"), nb::arg("n_categories"), nb::arg("cut_start"), nb::arg("cuts"),
        nb::arg("code_start"), nb::arg("codes"), nb::arg("y"), nb::arg("weight").none(), nb::arg("n_classes"), nb::arg("part").none(), nb::arg("criterion"), nb::arg("draws"),
        nb::arg("balanced"), nb::arg("below").none(), nb::arg("guide").none(), nb::arg("max_depth"), nb::arg("max_leaves"), nb::arg("min_rows_split"),
        nb::arg("min_rows_leaf"), nb::arg("min_weight_leaf"), nb::arg("min_gain"), nb::arg("max_features"), nb::arg("random_cuts"),
        nb::arg("monotonic").none(), nb::arg("unit").none(), nb::arg("groups"), nb::arg("seed"), nb::arg("first"), nb::arg("n_trees"));
  m.def("bag_counts", &bag_counts, nb::arg("draws"), nb::arg("below").none(), nb::arg("guide").none(), nb::arg("seed"), nb::arg("first"),
        nb::arg("out").noconvert());
}

}  // namespace empirisk
