// BoostGrower: trees for derivatives on binned rows, one after the other.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/losses.hpp"
#include "trees/boost_finish.hpp"

namespace empirisk {

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
static nb::object array_of(const std::vector<T>& from) {
  auto* const copy = new std::vector<T>(from);
  const nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(copy->data(), {copy->size()}, owner));
}

struct ColumnArrays {
  Codes rows, columns;
  Flat<const i64> n_bins, n_categories, cut_start;
  Flat<const double> cuts;
  Flat<const i64> code_start;
  Flat<const std::uint8_t> codes;
};

class Booster {
 public:
  Booster(ColumnArrays arrays, const BoostLimits& limits, int outputs)
      : keep_(std::move(arrays)), grower_(check(keep_), limits), forests_(std::size_t(outputs)) {}

  // Quantises, grows and finishes a tree; the number of its leaves.
  i64 grow(nb::handle g, nb::handle h, nb::handle weight, const QuantiseScale& quantise, const MomentScale& scale,
           const std::optional<Flat<const std::int32_t>>& rows, const std::vector<std::int32_t>& tried, std::uint64_t seed, double rate,
           double longest, double mean_weight) {
    const i64 n = grower_.columns().n;
    const ArrayArg first = required(g, "g", {n}), second = required(h, "h", {n}), w = array_arg(weight, "weight", {n});
    const DerivativeRows d{first.data, second.data, w.data};
    const NodeRows root = rows ? NodeRows{rows->data(), i64(rows->size())} : NodeRows{nullptr, n};
    check_rows(root, n);
    if (tried.empty()) refuse("a tree needs at least one column");
    for (std::size_t k = 0; k < tried.size(); ++k)
      if (tried[k] < (k ? tried[k - 1] + 1 : 0) || tried[k] >= grower_.columns().p) refuse("columns must rise, below the number of columns");
    const nb::gil_scoped_release release;
    loops().histogram.quantise(d, quantise, n, grower_.moments.data());
    grower_.grow(root, tried, scale, seed, mean_weight);
    tree_ = std::make_unique<BoostTree>(grower_);
    tree_->finish(d, rate, longest);
    return i64(tree_->rows().size());
  }

  // Rows of all leaves, leaf after leaf, and where each leaf begins.
  nb::tuple leaf_rows() const {
    std::vector<std::int32_t> rows;
    std::vector<i64> start{0};
    for (const NodeRows& leaf : tree().rows()) {
      for (i64 i = 0; i < leaf.n; ++i) rows.push_back(leaf.rows ? leaf.rows[i] : std::int32_t(i));
      start.push_back(i64(rows.size()));
    }
    return nb::make_tuple(array_of(rows), array_of(start));
  }

  void set_values(Flat<const double> values) {
    if (values.size() != tree().rows().size()) refuse("values must have one number for each leaf");
    tree_->set_values(values.data());
  }

  void add_to_rows(Flat<double> z) const {
    if (i64(z.size()) != grower_.columns().n) refuse("z must have one number for each row");
    tree().add_to_rows(z.data());
  }

  void add_to(Codes codes, const std::optional<Flat<const std::int32_t>>& rows, Flat<double> z) const {
    const i64 n = i64(codes.shape(0));
    if (i64(codes.shape(1)) != grower_.columns().p || i64(z.size()) != n) refuse("codes and z must fit the training columns");
    const NodeRows which = rows ? NodeRows{rows->data(), i64(rows->size())} : NodeRows{nullptr, n};
    check_rows(which, n);
    const nb::gil_scoped_release release;
    tree().add_to(codes.data(), which, z.data());
  }

  void store(i64 output) {
    tree();
    if (output < 0 || output >= i64(forests_.size())) refuse("output must be below the number of outputs");
    forests_[std::size_t(output)].add(grower_.tree(), tree_->sets());
  }

  void shorten(double factor) {
    for (BoostForest& f : forests_)
      if (f.start.size() > 1) f.shorten(factor);
  }

  void add_last(i64 output, Codes codes, Flat<double> z) const {
    const i64 n = i64(codes.shape(0));
    if (i64(codes.shape(1)) != grower_.columns().p || i64(z.size()) != n) refuse("codes and z must fit the training columns");
    if (output < 0 || output >= i64(forests_.size()) || forests_[std::size_t(output)].start.size() < 2) refuse("keep a tree of this output first");
    const nb::gil_scoped_release release;
    forests_[std::size_t(output)].add_last(codes.data(), grower_.columns().p, NodeRows{nullptr, n}, z.data());
  }

  nb::dict trees(i64 output) const {
    if (output < 0 || output >= i64(forests_.size())) refuse("output must be below the number of outputs");
    const BoostForest& f = forests_[std::size_t(output)];
    nb::dict out;
    out["start"] = array_of(f.start), out["feature"] = array_of(f.all.feature), out["left"] = array_of(f.all.left);
    out["threshold"] = array_of(f.all.threshold), out["value"] = array_of(f.all.value), out["weight"] = array_of(f.all.weight);
    out["gain"] = array_of(f.all.gain), out["heterogeneity"] = array_of(f.all.heterogeneity);
    out["missing_left"] = array_of(f.all.missing_left), out["count"] = array_of(f.all.count);
    out["category_start"] = array_of(f.all.category_start), out["category_words"] = array_of(f.all.category_words);
    return out;
  }

 private:
  const BoostTree& tree() const {
    if (!tree_) refuse("grow a tree first");
    return *tree_;
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
  BoostGrower grower_;
  std::unique_ptr<BoostTree> tree_;
  std::vector<BoostForest> forests_;
};

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
        if (shift < 1 || shift > 62 || !(g_scale > 0.0) || !(h_scale > 0.0) || !(mean_weight > 0.0)) refuse("the scales must be positive");
        return self.grow(g, h, weight, {g_scale, h_scale, whole}, {shift, 1.0 / g_scale, 1.0 / h_scale},
                         rows, tried, seed, rate, longest, mean_weight);
      }, nb::arg("g"), nb::arg("h"), nb::arg("weight").none(), nb::arg("g_scale"), nb::arg("h_scale"),
         nb::arg("whole"), nb::arg("shift"), nb::arg("rows").none(), nb::arg("tried"), nb::arg("seed"), nb::arg("rate"),
         nb::arg("longest"), nb::arg("mean_weight"))
      .def("leaf_rows", &Booster::leaf_rows)
      .def("set_values", &Booster::set_values, nb::arg("values"))
      .def("add_to_rows", &Booster::add_to_rows, nb::arg("z").noconvert())
      .def("add_to", &Booster::add_to, nb::arg("codes"), nb::arg("rows").none(), nb::arg("z").noconvert())
      .def("store", &Booster::store, nb::arg("output"))
      .def("shorten", &Booster::shorten, nb::arg("factor"))
      .def("add_last", &Booster::add_last, nb::arg("output"), nb::arg("codes"), nb::arg("z").noconvert())
      .def("trees", &Booster::trees, nb::arg("output"));
}

}  // namespace empirisk
