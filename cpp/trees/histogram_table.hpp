// Histograms of boosting: what crosses from the growth of a tree into the loops.
#pragma once
#include <cstdint>

namespace empirisk {

// Sums of a bin as exact integers: the first derivatives, and the second ones above the number of rows. The sum of two
// histograms, and the difference of a node and its child, are plain 128-bit vector operations; no order of the rows and no
// number of threads can change a bit.
struct alignas(16) BinSums {
  std::int64_t g = 0;
  std::uint64_t hc = 0;  // (sum of h) << shift | rows
};

// Derivatives of a row times its weight, as integers.
struct RowMoments {
  std::int32_t g;
  std::uint32_t h;
};

// How the integers are read: a = -g g_unit, b = h h_unit, rows = the low `shift` bits.
struct MomentScale {
  int shift = 1;
  double g_unit = 1.0, h_unit = 1.0;
};

// static: each instruction set has its own copy.
static inline double a_of(const BinSums& s, const MomentScale& m) { return -double(s.g) * m.g_unit; }
static inline double b_of(const BinSums& s, const MomentScale& m) { return double(s.hc >> m.shift) * m.h_unit; }
static inline std::int64_t rows_of(const BinSums& s, const MomentScale& m) {
  return std::int64_t(s.hc & ((std::uint64_t(1) << m.shift) - 1));
}

// The columns that a tree may ask, and where their bins lie in a histogram (the last bin of each: missing).
struct HistogramLayout {
  std::int64_t columns = 0;
  const std::int32_t* column = nullptr;  // their numbers, rising
  const std::int64_t* start = nullptr;   // (columns + 1), in bins
  bool all = false;                      // column[k] == k
};

// Rows of a node; null: the first n.
struct NodeRows {
  const std::int32_t* rows = nullptr;
  std::int64_t n = 0;
};

// Codes row by row, and the derivatives as integers.
struct CodedRows {
  const std::uint8_t* codes = nullptr;
  std::int64_t stride = 0;
  const RowMoments* moments = nullptr;
};

struct SplitRules {
  double min_rows = 1.0, l2 = 0.0;
  double low = -1e308, high = 1e308;  // of the leaf values, before the learning rate
};

// The best cut of a numeric column: codes <= bin to the left. gain = score(left) + score(right) - score(node); 0: none.
struct NumericCut {
  std::int64_t start = 0;  // in: where the column's bins begin, how many there are (without missing), its monotonic sign
  int n_bins = 0, sign = 0;
  double gain = 0.0;
  int bin = -1;
  bool missing_left = false;
  BinSums left;
};

// The best subset of a column's categories; sets of codes as 256 bits.
struct SubsetCut {
  std::int64_t start = 0;  // in
  int n_bins = 0;
  double gain = 0.0;
  std::uint64_t set[4] = {}, present[4] = {};  // codes that go left; codes that the node has
  BinSums left;
};

struct DerivativeRows {
  const double* g;
  const double* h;
  const double* weight;  // null: ones
};

// Factors that turn derivatives into integers; whole weights multiply the rounded derivative, so that 2 is exactly two rows. A
// curvature above 0 counts as one unit at least, so that no row is hidden by another of a huge weight or curvature.
struct QuantiseScale {
  double g = 0.0, h = 0.0;
  bool whole = true;
};

struct LeafSums {
  double g = 0.0, h = 0.0, weight = 0.0;
};

// A tree over codes: node v sends code c to left[v] if bit c of set[4 v ..] is 1, else to left[v] + 1.
struct CodeTree {
  const std::int32_t* feature;  // -1: a leaf
  const std::int32_t* left;
  const std::uint64_t* set;
  const double* value;
};

struct HistogramLoops {
  void (*quantise)(const DerivativeRows&, const QuantiseScale&, std::int64_t n, RowMoments* out);
  void (*build)(const CodedRows&, const NodeRows&, const HistogramLayout&, int shift, BinSums* out);
  void (*subtract)(BinSums* from, const BinSums* what, std::int64_t bins);
  void (*cuts)(const BinSums* bins, const BinSums& total, const MomentScale&, const SplitRules&, NumericCut* cuts, std::int64_t n);
  void (*subset)(const BinSums* bins, const BinSums& total, const MomentScale&, const SplitRules&, double smoothing, SubsetCut& cut);
  // Stable: rows whose code is in the set (256 bits) come first in `to`; their number. spare: room for n, which may be where the
  // rows of the node lie; these are lost.
  std::int64_t (*partition)(const std::uint8_t* codes, const std::uint64_t* set, const NodeRows&, std::int32_t* spare, std::int32_t* to);
  void (*leaf_sums)(const DerivativeRows&, const NodeRows* leaves, std::int64_t n_leaves, LeafSums* out);
  void (*add_values)(const NodeRows* leaves, std::int64_t n_leaves, const double* values, double* z);
  void (*add_tree)(const CodeTree&, const std::uint8_t* codes, std::int64_t stride, const NodeRows&, double* z);
};

}  // namespace empirisk
