// BoostGrower: trees for derivatives on binned rows, one after the other, or those of all outputs of a round at once.
#define EMPIRISK_ISA boosting
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "support/parallel.hpp"
#include "trees/boost_finish.hpp"

namespace empirisk {

using namespace boosting;

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Matrix2 = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
static nb::object array_of(std::vector<T>&& from) {
  auto* const kept = new std::vector<T>(std::move(from));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

struct ColumnArrays {
  Codes rows, columns;
  Flat<const i64> n_bins, n_categories, cut_start;
  Flat<const double> cuts;
  Flat<const i64> code_start;
  Flat<const std::uint8_t> codes;
};

// What one thread needs to grow trees.
struct BoostSlot {
  BoostSlot(const BinnedColumns& columns, const BoostLimits& limits, std::int64_t histogram_bytes) : grower(columns, limits, histogram_bytes) {}

  void grow(const DerivativeRows& d, const QuantiseScale& quantise, const MomentScale& scale, const NodeRows& root,
            const std::vector<std::int32_t>& tried, std::uint64_t seed, double rate, double longest, double mean_weight) {
    loops().histogram.quantise(d, quantise, grower.columns().n, grower.moments.data());
    grower.grow(root, tried, scale, seed, mean_weight);
    tree = std::make_unique<BoostTree>(grower);
    tree->finish(d, rate, longest);
  }

  BoostGrower grower;
  std::unique_ptr<BoostTree> tree;
};

// What all trees of a round share.
struct RoundArgs {
  QuantiseScale quantise;
  MomentScale scale;
  std::optional<Flat<const std::int32_t>> rows;
  double rate, longest, mean_weight;
};

class Booster {
 public:
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  Booster(ColumnArrays arrays, const BoostLimits& limits, int outputs)
      : keep_(std::move(arrays)), columns_(check(keep_)), limits_(limits), forests_(std::size_t(outputs)) {
    slots_.push_back(std::make_unique<BoostSlot>(columns_, limits_, HistogramPool::budget));
  }

  // Quantises, grows and finishes a tree; the number of its leaves.
  i64 grow(nb::handle g, nb::handle h, nb::handle weight, const RoundArgs& round, const std::vector<std::int32_t>& tried, std::uint64_t seed) {
    const i64 n = columns_.n;
    const ArrayArg first = required(g, "g", {n}), second = required(h, "h", {n}), w = array_arg(weight, "weight", {n});
    const NodeRows root = root_of(round.rows, n);
    check_tried(tried);
    const nb::gil_scoped_release release;
    slots_[0]->grow({first.data, second.data, w.data}, round.quantise, round.scale, root, tried, seed, round.rate, round.longest, round.mean_weight);
    return i64(tree().rows().size());
  }

  // The trees of all outputs of a round, added to the scores z (outputs, n) and kept. Where there are at least as many outputs as
  // threads each thread grows whole trees, which needs no waiting inside a tree; the bits are those of one tree after the other.
  void grow_outputs(nb::handle g, nb::handle h, nb::handle weight, const RoundArgs& round, const std::vector<std::vector<std::int32_t>>& tried,
                    const std::vector<std::uint64_t>& seeds, Matrix2 z, const std::optional<Flat<const std::int32_t>>& others,
                    const std::optional<Codes>& watched, const std::optional<Matrix2>& z_watched) {
    const i64 n = columns_.n, k = i64(forests_.size());
    const ArrayArg first = required(g, "g", {k, n}), second = required(h, "h", {k, n}), w = array_arg(weight, "weight", {n});
    const NodeRows root = root_of(round.rows, n), rest = others ? root_of(others, n) : NodeRows{nullptr, 0};
    if (i64(tried.size()) != k || i64(seeds.size()) != k) refuse("tried and seeds must have one entry for each output");
    for (const auto& columns : tried) check_tried(columns);
    if (i64(z.shape(0)) != k || i64(z.shape(1)) != n) refuse("z must have one number for each output and row");
    if (watched.has_value() != z_watched.has_value()) refuse("watched rows need scores");
    const i64 m = watched ? i64(watched->shape(0)) : 0;
    if (watched && (i64(watched->shape(1)) != columns_.p || i64(z_watched->shape(0)) != k || i64(z_watched->shape(1)) != m))
      refuse("watched and z_watched must fit the training columns and the outputs");
    const nb::gil_scoped_release release;
    const int most = threads_for(n * columns_.p * k * 16, k), threads = k >= most_threads() ? most : 1;
    while (int(slots_.size()) < threads) slots_.push_back(std::make_unique<BoostSlot>(columns_, limits_, HistogramPool::budget / threads));
    std::atomic<bool> no_memory{false};
    for_chunks(k, threads, [&](i64 c, int thread) {
      if (no_memory) return;
      try {
        BoostSlot& slot = *slots_[std::size_t(thread)];
        slot.grow({first.data + c * n, second.data + c * n, w.data}, round.quantise, round.scale, root, tried[std::size_t(c)],
                  seeds[std::size_t(c)], round.rate, round.longest, round.mean_weight);
        slot.tree->add_to_rows(z.data() + c * n);
        if (rest.n) slot.tree->add_to(columns_.by_row, rest, z.data() + c * n);
        if (watched) slot.tree->add_to(watched->data(), NodeRows{nullptr, m}, z_watched->data() + c * m);
        forests_[std::size_t(c)].add(slot.grower.tree(), slot.tree->sets());
      } catch (const std::bad_alloc&) {
        no_memory = true;
      }
    });
    if (no_memory) throw std::bad_alloc();
  }

  // Rows of all leaves, leaf after leaf, and where each leaf begins.
  nb::tuple leaf_rows() const {
    std::vector<std::int32_t> rows;
    std::vector<i64> start{0};
    for (const NodeRows& leaf : tree().rows()) {
      for (i64 i = 0; i < leaf.n; ++i) rows.push_back(leaf.rows ? leaf.rows[i] : std::int32_t(i));
      start.push_back(i64(rows.size()));
    }
    return nb::make_tuple(array_of(std::move(rows)), array_of(std::move(start)));
  }

  void set_values(Flat<const double> values) {
    if (values.size() != tree().rows().size()) refuse("values must have one number for each leaf");
    slots_[0]->tree->set_values(values.data());
  }

  void add_to_rows(Flat<double> z) const {
    if (i64(z.size()) != columns_.n) refuse("z must have one number for each row");
    tree().add_to_rows(z.data());
  }

  void add_to(Codes codes, const std::optional<Flat<const std::int32_t>>& rows, Flat<double> z) const {
    const i64 n = i64(codes.shape(0));
    if (i64(codes.shape(1)) != columns_.p || i64(z.size()) != n) refuse("codes and z must fit the training columns");
    const NodeRows which = rows ? NodeRows{rows->data(), i64(rows->size())} : NodeRows{nullptr, n};
    check_rows(which, n);
    const nb::gil_scoped_release release;
    tree().add_to(codes.data(), which, z.data());
  }

  void store(i64 output) {
    tree();
    if (output < 0 || output >= i64(forests_.size())) refuse("output must be below the number of outputs");
    forests_[std::size_t(output)].add(slots_[0]->grower.tree(), tree().sets());
  }

  void shorten(double factor) {
    for (BoostForest& f : forests_)
      if (f.start.size() > 1) f.shorten(factor);
  }

  void add_last(i64 output, Codes codes, Flat<double> z) const {
    const i64 n = i64(codes.shape(0));
    if (i64(codes.shape(1)) != columns_.p || i64(z.size()) != n) refuse("codes and z must fit the training columns");
    if (output < 0 || output >= i64(forests_.size()) || forests_[std::size_t(output)].start.size() < 2) refuse("keep a tree of this output first");
    const nb::gil_scoped_release release;
    forests_[std::size_t(output)].add_last(codes.data(), columns_.p, NodeRows{nullptr, n}, z.data());
  }

  // The trees of an output, which are handed over: no copy stays behind.
  nb::dict take_trees(i64 output) {
    if (output < 0 || output >= i64(forests_.size())) refuse("output must be below the number of outputs");
    BoostForest f = std::exchange(forests_[std::size_t(output)], BoostForest{});
    nb::dict out;
    out["start"] = array_of(std::move(f.start)), out["feature"] = array_of(std::move(f.all.feature)), out["left"] = array_of(std::move(f.all.left));
    out["threshold"] = array_of(std::move(f.all.threshold)), out["value"] = array_of(std::move(f.all.value)), out["weight"] = array_of(std::move(f.all.weight));
    out["gain"] = array_of(std::move(f.all.gain)), out["heterogeneity"] = array_of(std::move(f.all.heterogeneity));
    out["missing_left"] = array_of(std::move(f.all.missing_left)), out["count"] = array_of(std::move(f.all.count));
    out["category_start"] = array_of(std::move(f.all.category_start)), out["category_words"] = array_of(std::move(f.all.category_words));
    return out;
  }

 private:
  const BoostTree& tree() const {
    if (!slots_[0]->tree) refuse("grow a tree first");
    return *slots_[0]->tree;
  }

  void check_tried(const std::vector<std::int32_t>& tried) const {
    if (tried.empty()) refuse("a tree needs at least one column");
    for (std::size_t k = 0; k < tried.size(); ++k)
      if (tried[k] < (k ? tried[k - 1] + 1 : 0) || tried[k] >= columns_.p) refuse("columns must rise, below the number of columns");
  }

  static NodeRows root_of(const std::optional<Flat<const std::int32_t>>& rows, i64 n) {
    const NodeRows root = rows ? NodeRows{rows->data(), i64(rows->size())} : NodeRows{nullptr, n};
    check_rows(root, n);
    return root;
  }

  static void check_rows(const NodeRows& rows, i64 n) {
    if (rows.n > std::numeric_limits<std::int32_t>::max()) refuse("more than 2^31 - 1 rows; fit on a sample of them");
    for (i64 i = 0; rows.rows && i < rows.n; ++i)
      if (rows.rows[i] < 0 || rows.rows[i] >= n) refuse("rows names a row that does not exist");
  }

  static BinnedColumns check(const ColumnArrays& a) {
    BinnedColumns c{i64(a.rows.shape(0)), i64(a.rows.shape(1)), a.rows.data(), a.columns.data(), a.n_bins.data(), a.n_categories.data(),
                    a.cut_start.data(), a.cuts.data(), a.code_start.data(), a.codes.data()};
    if (i64(a.columns.shape(0)) != c.p || i64(a.columns.shape(1)) != c.n) refuse("columns must be the transpose of rows");
    const std::size_t p = std::size_t(c.p);
    if (a.n_bins.size() != p || a.n_categories.size() != p || a.cut_start.size() != p + 1 || a.code_start.size() != p + 1)
      refuse("the bins must describe every column");
    std::vector<std::uint8_t> top(p, 0);
    for (i64 i = 0; i < c.n; ++i)
      for (i64 j = 0; j < c.p; ++j) top[std::size_t(j)] = std::max(top[std::size_t(j)], c.by_row[i * c.p + j]);
    for (i64 j = 0; j < c.p; ++j) {
      const std::uint8_t other = c.n ? *std::max_element(c.by_column + j * c.n, c.by_column + (j + 1) * c.n) : 0;
      const bool fits = c.n_categories[j] > 0 ? c.code_start[j + 1] - c.code_start[j] == c.n_categories[j]
                                              : c.cut_start[j + 1] - c.cut_start[j] == c.n_bins[j] - 1;
      if (c.n_bins[j] < 1 || c.n_bins[j] > 255 || top[std::size_t(j)] > c.n_bins[j] || other > c.n_bins[j] || !fits)
        refuse("column " + std::to_string(j) + " holds codes that its bins do not have");
    }
    if (c.cut_start[c.p] != i64(a.cuts.size()) || c.code_start[c.p] != i64(a.codes.size())) refuse("the bins must describe every column");
    return c;
  }

  ColumnArrays keep_;
  BinnedColumns columns_;
  BoostLimits limits_;
  std::vector<std::unique_ptr<BoostSlot>> slots_;  // one a thread that grows whole trees
  std::vector<BoostForest> forests_;
};

static RoundArgs round_of(double g_scale, double h_scale, bool whole, int shift, std::optional<Flat<const std::int32_t>> rows, double rate,
                          double longest, double mean_weight) {
  if (shift < 1 || shift > 62 || !(g_scale > 0.0) || !(h_scale > 0.0) || !(mean_weight > 0.0)) refuse("the scales must be positive");
  return {{g_scale, h_scale, whole}, {shift, 1.0 / g_scale, 1.0 / h_scale}, std::move(rows), rate, longest, mean_weight};
}

void bind_trees_boost(nb::module_& m) {
  nb::class_<Booster>(m, "BoostGrower")
      .def("__init__", [](Booster* self, Codes rows, Codes columns, Flat<const i64> n_bins, Flat<const i64> n_categories,
                          Flat<const i64> cut_start, Flat<const double> cuts, Flat<const i64> code_start, Flat<const std::uint8_t> codes,
                          int outputs, i64 max_leaves, i64 max_depth, i64 min_rows, i64 max_features, double l2,
                          double min_gain, double smoothing, std::vector<std::int8_t> sign, std::vector<std::vector<std::int32_t>> interactions) {
        if (!sign.empty() && sign.size() != rows.shape(1)) refuse("sign must have one entry for each column");
        new (self) Booster({rows, columns, n_bins, n_categories, cut_start, cuts, code_start, codes},
                           {max_leaves, max_depth, min_rows, max_features, l2, min_gain, smoothing, sign, interactions}, outputs);
      }, nb::arg("rows"), nb::arg("columns"), nb::arg("n_bins"), nb::arg("n_categories"), nb::arg("cut_start"), nb::arg("cuts"),
         nb::arg("code_start"), nb::arg("codes"), nb::arg("outputs"), nb::arg("max_leaves"), nb::arg("max_depth"), nb::arg("min_rows"),
         nb::arg("max_features"), nb::arg("l2"), nb::arg("min_gain"), nb::arg("smoothing"), nb::arg("sign"),
         nb::arg("interactions"))
      .def("grow", [](Booster& self, nb::handle g, nb::handle h, nb::handle weight, double g_scale, double h_scale,
                      bool whole, int shift, std::optional<Flat<const std::int32_t>> rows, std::vector<std::int32_t> tried,
                      std::uint64_t seed, double rate, double longest, double mean_weight) {
        return self.grow(g, h, weight, round_of(g_scale, h_scale, whole, shift, rows, rate, longest, mean_weight), tried, seed);
      }, nb::arg("g"), nb::arg("h"), nb::arg("weight").none(), nb::arg("g_scale"), nb::arg("h_scale"),
         nb::arg("whole"), nb::arg("shift"), nb::arg("rows").none(), nb::arg("tried"), nb::arg("seed"), nb::arg("rate"),
         nb::arg("longest"), nb::arg("mean_weight"))
      .def("grow_outputs", [](Booster& self, nb::handle g, nb::handle h, nb::handle weight, double g_scale, double h_scale,
                              bool whole, int shift, std::optional<Flat<const std::int32_t>> rows, std::vector<std::vector<std::int32_t>> tried,
                              std::vector<std::uint64_t> seeds, double rate, double longest, double mean_weight, Matrix2 z,
                              std::optional<Flat<const std::int32_t>> others, std::optional<Codes> watched, std::optional<Matrix2> z_watched) {
        self.grow_outputs(g, h, weight, round_of(g_scale, h_scale, whole, shift, rows, rate, longest, mean_weight), tried, seeds, z, others,
                          watched, z_watched);
      }, nb::arg("g"), nb::arg("h"), nb::arg("weight").none(), nb::arg("g_scale"), nb::arg("h_scale"),
         nb::arg("whole"), nb::arg("shift"), nb::arg("rows").none(), nb::arg("tried"), nb::arg("seeds"), nb::arg("rate"),
         nb::arg("longest"), nb::arg("mean_weight"), nb::arg("z").noconvert(), nb::arg("others").none(), nb::arg("watched").none(),
         nb::arg("z_watched").none())
      .def("leaf_rows", &Booster::leaf_rows)
      .def("set_values", &Booster::set_values, nb::arg("values"))
      .def("add_to_rows", &Booster::add_to_rows, nb::arg("z").noconvert())
      .def("add_to", &Booster::add_to, nb::arg("codes"), nb::arg("rows").none(), nb::arg("z").noconvert())
      .def("store", &Booster::store, nb::arg("output"))
      .def("shorten", &Booster::shorten, nb::arg("factor"))
      .def("add_last", &Booster::add_last, nb::arg("output"), nb::arg("codes"), nb::arg("z").noconvert())
      .def("take_trees", &Booster::take_trees, nb::arg("output"));
}

}  // namespace empirisk
