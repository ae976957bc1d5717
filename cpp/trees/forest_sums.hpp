// Sums over the rows of a node, code by code, for criteria of two moments (a, b).
//
// A model of rows says what a row of the bag is and what it adds to the sum of its code. Two classes without weights need one
// integer: the draws of class 1 above the draws of both.
#pragma once
#include "trees/criteria.hpp"
#include "trees/forest_data.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Sums {
  double a = 0.0, b = 0.0, rows = 0.0;
};

struct CountRows {
  struct Entry {
    u32 row, info;  // draws and, in the lowest bit, the class
  };
  using Bin = u64;
  static Entry entry(const ForestData& d, i64 i, i32 draws) { return {u32(i), u32(draws) << 1 | u32(d.y[i] == 1.0)}; }
  static Bin value(const Entry& e) { return u64(e.info >> 1) * ((u64(e.info & 1) << 32) | 1); }
  static void add(Bin& sum, const Bin& x) { sum += x; }
  static bool empty(const Bin& x) { return x == 0; }
  static Sums sums(const Bin& x) { return {double(u32(x >> 32)), double(u32(x)), double(u32(x))}; }
  static bool same(const Entry& x, const Entry& y) { return (x.info & 1) == (y.info & 1); }
};

struct NumberRows {
  struct Entry {
    u32 row, draws;
    double y;
  };
  struct Bin {
    double a, b;
  };
  static Entry entry(const ForestData& d, i64 i, i32 draws) { return {u32(i), u32(draws), d.y[i]}; }
  static Bin value(const Entry& e) { return {e.y * double(e.draws), double(e.draws)}; }
  static void add(Bin& sum, const Bin& x) { sum.a += x.a, sum.b += x.b; }
  static bool empty(const Bin& x) { return x.b == 0.0; }
  static Sums sums(const Bin& x) { return {x.a, x.b, x.b}; }
  static bool same(const Entry& x, const Entry& y) { return x.y == y.y; }
};

struct WeightedRows {
  struct Entry {
    u32 row, draws;
    double y, weight;
  };
  struct Bin {
    double a, b, rows, unused;
  };
  static Entry entry(const ForestData& d, i64 i, i32 draws) { return {u32(i), u32(draws), d.y[i], d.weight[i] * draws}; }
  static Bin value(const Entry& e) { return {e.y * e.weight, e.weight, double(e.draws), 0.0}; }
  static void add(Bin& sum, const Bin& x) { sum.a += x.a, sum.b += x.b, sum.rows += x.rows; }
  static bool empty(const Bin& x) { return x.rows == 0.0; }
  static Sums sums(const Bin& x) { return {x.a, x.b, x.rows}; }
  static bool same(const Entry& x, const Entry& y) { return x.y == y.y; }
};

// Gains as fractions, which are compared without a division.

// (a_L b - a b_L)^2 / (b b_L b_R), the decrease of sum w (y - mean)^2 (and half that of Gini's cost): never negative.
struct SpreadGain {
  double factor = 1.0;
  void operator()(const Sums& l, const Sums& p, double& num, double& den) const {
    const double d = l.a * p.b - p.a * l.b;
    num = d * d, den = l.b * (p.b - l.b);
  }
  double scale(const Sums& p) const { return factor / p.b; }
};

template <class Score>
struct ScoreGain {
  Score score;
  void operator()(const Sums& l, const Sums& p, double& num, double& den) const {
    num = std::fmax(0.0, score(l.a, l.b) + score(p.a - l.a, p.b - l.b) - score(p.a, p.b)), den = 1.0;
  }
  double scale(const Sums&) const { return 1.0; }
};

template <class Rows, class Gain>
class MomentModel {
 public:
  using Entry = typename Rows::Entry;
  using Bin = typename Rows::Bin;
  static constexpr int most_features = 8;  // looked at in one pass over the rows
  static constexpr bool two_moments = true;

  MomentModel(const ForestData& d, Gain gain) : d_(d), gain_(gain), bins_(256 * most_features) {
    std::memset(static_cast<void*>(bins_.data()), 0, sizeof(Bin) * 256 * most_features);
  }

  static Entry entry(const ForestData& d, i64 i, i32 draws) { return Rows::entry(d, i, draws); }

  // -- the node --
  void open(const Entry* e, i64 m) {
    Bin sum{};
    for (i64 i = 0; i < m; ++i) Rows::add(sum, Rows::value(e[i]));
    total_ = Rows::sums(sum);
    scale_ = gain_.scale(total_);
  }
  bool pure(const Entry* e, i64 m) const {
    for (i64 i = 1; i < m; ++i)
      if (!Rows::same(e[i], e[0])) return false;
    return true;
  }
  double rows() const { return total_.rows; }
  double weight() const { return total_.b; }
  double mean() const { return total_.a / total_.b; }
  double scale() const { return scale_; }
  void leaf(double* value) const {
    const double mean = total_.a / total_.b;
    if (d_.n_classes == 2) value[0] = 1.0 - mean, value[1] = mean;
    else value[0] = mean;
  }
  void leaf_at(double mean, double* value) const {
    if (d_.n_classes == 2) value[0] = 1.0 - mean, value[1] = mean;
    else value[0] = mean;
  }
  // Cost of a leaf: its weight times its heterogeneity.
  double cost(const Entry* e, i64 m) const {
    if (d_.n_classes == 2) return -ScoreOf::class_score(gain_, total_);
    return ScoreOf::number_cost(gain_, e, m, total_);
  }

  // -- the sums of some features, and the codes that occur --
  void collect(const Entry* e, i64 m, const u8* codes, i64 stride, const i32* features, int count) {
    const bool mark = m < 192;
    switch (count) {
      case 1: pass<1>(e, m, codes, stride, features, mark); break;
      case 2: pass<2>(e, m, codes, stride, features, mark); break;
      case 3: pass<3>(e, m, codes, stride, features, mark); break;
      case 4: pass<4>(e, m, codes, stride, features, mark); break;
      case 5: pass<5>(e, m, codes, stride, features, mark); break;
      case 6: pass<6>(e, m, codes, stride, features, mark); break;
      case 7: pass<7>(e, m, codes, stride, features, mark); break;
      default: pass<8>(e, m, codes, stride, features, mark); break;
    }
    if (mark) return;
    for (int g = 0; g < count; ++g) {
      const Bin* bin = bins_.data() + 256 * g;
      for (int k = 0; k < 4; ++k) {
        u64 w = 0;
        for (int c = 0; c < 64; ++c) w |= u64(!Rows::empty(bin[64 * k + c])) << c;
        set_[g].word[k] = w;
      }
    }
  }
  const CodeSet& present(int g) const { return set_[g]; }
  void forget(int g) {
    Bin* bin = bins_.data() + 256 * g;
    set_[g].each([&](int c) { bin[c] = Bin{}; });
    set_[g].clear();
  }

  // -- rows moved to the left, code by code --
  void start(int g) { left_ = Bin{}, bin_ = bins_.data() + 256 * g; }
  void move(int c) { Rows::add(left_, bin_[c]); }
  bool judge(double min_rows, double min_weight, double& num, double& den) {
    l_ = Rows::sums(left_);
    if (l_.rows < min_rows || total_.rows - l_.rows < min_rows || l_.b < min_weight || total_.b - l_.b < min_weight) return false;
    gain_(l_, total_, num, den);
    return den > 0.0;
  }
  double left_weight() const { return l_.b; }
  // Means of the two sides that were judged last.
  double left_mean() const { return l_.a / l_.b; }
  double right_mean() const { return (total_.a - l_.a) / (total_.b - l_.b); }
  bool one_side_empty_of_events() const { return l_.a <= 0.0 || total_.a - l_.a <= 0.0; }
  // By what categories are sorted: the mean.
  int orders() const { return 1; }
  double key(int, int c) const {
    const Sums s = Rows::sums(bin_[c]);
    return s.a / s.b;
  }

 private:
  struct ScoreOf {
    static double class_score(const SpreadGain&, const Sums& s) { return TwoClassGiniScore{}(s.a, s.b); }
    template <class Score>
    static double class_score(const ScoreGain<Score>& g, const Sums& s) { return g.score(s.a, s.b); }
    static double number_cost(const SpreadGain&, const Entry* e, i64 m, const Sums& s) {
      const double mean = s.a / s.b;
      double cost = 0.0;
      for (i64 i = 0; i < m; ++i) cost += weight_of(e[i]) * (y_of(e[i]) - mean) * (y_of(e[i]) - mean);
      return cost;
    }
    template <class Score>
    static double number_cost(const ScoreGain<Score>& g, const Entry* e, i64 m, const Sums& s) {
      double cost = -g.score(s.a, s.b);
      for (i64 i = 0; i < m; ++i) cost += g.score(weight_of(e[i]) * y_of(e[i]), weight_of(e[i]));
      return cost;
    }
    static double weight_of(const Entry& e) { return Rows::sums(Rows::value(e)).b; }
    static double y_of(const Entry& e) { return Rows::sums(Rows::value(e)).a / weight_of(e); }
  };

  template <int G>
  void pass(const Entry* e, i64 m, const u8* codes, i64 stride, const i32* features, bool mark) {
    i64 f[G];
    for (int g = 0; g < G; ++g) f[g] = features[g];
    Bin* bins = bins_.data();
    CodeSet* set = set_;
    if (mark) {
      for (i64 i = 0; i < m; ++i) {
        const u8* row = codes + i64(e[i].row) * stride;
        const Bin v = Rows::value(e[i]);
        for (int g = 0; g < G; ++g) {
          const int c = row[f[g]];
          Rows::add(bins[256 * g + c], v);
          set[g].add(c);
        }
      }
    } else {
      for (i64 i = 0; i < m; ++i) {
        const u8* row = codes + i64(e[i].row) * stride;
        const Bin v = Rows::value(e[i]);
        for (int g = 0; g < G; ++g) Rows::add(bins[256 * g + row[f[g]]], v);
      }
    }
  }

  const ForestData& d_;
  Gain gain_;
  Buffer<Bin> bins_;
  CodeSet set_[most_features];
  Sums total_, l_;
  Bin left_{};
  const Bin* bin_ = nullptr;
  double scale_ = 1.0;
};

}  // namespace empirisk::EMPIRISK_ISA
