// Sequential minimal optimisation for min 1/2 b'K b + p'b over a box and a fixed sum of b, with K read row by row.
//
// A variable stands for a row of K; several may stand for one (the two sides of a regression loss). Outer steps choose the
// variables that violate the optimality conditions most, inner steps (pair_steps.hpp) minimise over those alone, and f = K b
// is updated by their rows at once (Joachims, 1999; Wen et al., JMLR 19, 2018). Rows whose variables rest at a bound leave for a
// while ("shrinking", Joachims 1999); their part of f is made up for before anything is claimed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/kernel_table.hpp"
#include "kernels/row_cache.hpp"

namespace empirisk {

// Where rows of K come from. Columns are those that `keep` chose last, all at first.
struct RowSource {
  using i64 = std::int64_t;
  virtual ~RowSource() = default;
  virtual i64 size() const = 0;
  virtual void fill(const std::vector<i64>& rows, const std::vector<float*>& places) = 0;
  virtual void keep(const std::vector<i64>* columns) = 0;  // null: all
  virtual std::vector<double> diagonal() = 0;
  // out[k] = sum_j K(rows[k], columns[j]) weights[j], in double.
  virtual void product(const std::vector<i64>& rows, const std::vector<i64>& columns, const std::vector<double>& weights, double* out) = 0;
};

struct SmoState {
  using i64 = std::int64_t;
  i64 n = 0;                    // variables
  const i64* row = nullptr;     // the row of each
  const double *low = nullptr, *high = nullptr, *linear = nullptr;
  double *value = nullptr;      // b
  double *f = nullptr;          // K b, by row
};

struct SmoReport {
  std::int64_t outer = 0, inner = 0;
  double violation = std::numeric_limits<double>::infinity();
  std::int64_t witness[2] = {-1, -1};
  double curvature = 0.0;
};

class Smo {
 public:
  using i64 = std::int64_t;

  Smo(RowSource& source, double cache_bytes)
      : source_(source), diagonal_(source.diagonal()), cache_(source.size(), source.size(), cache_bytes) {}

  // Steps until the largest violation is at most `tolerance`. `pause` is called once an outer step and may throw.
  SmoReport run(const SmoState& s, double tolerance, i64 most_outer, const std::function<void()>& pause) {
    s_ = s;
    begin();
    SmoReport out;
    i64 until_shrink = shrink_every;
    for (;;) {
      const Extremes at = extremes();
      out.violation = at.violation();
      if (out.violation <= tolerance) {
        if (!shrunk()) break;
        restore();
        until_shrink = shrink_every;
        continue;
      }
      if (out.outer >= most_outer) break;
      pause();
      if (--until_shrink <= 0) {
        shrink(at);
        until_shrink = shrink_every;
      }
      choose(at);
      step(tolerance, out);
      ++out.outer;
    }
    restore();
    return out;
  }

  i64 rows_computed() const { return cache_.computed(); }

 private:
  static constexpr i64 widest = 1024;      // variables of a working set
  static constexpr i64 shrink_every = 8;   // outer steps
  static constexpr double inner_share = 0.1;  // of the violation that the inner steps leave

  struct Extremes {
    double top = std::numeric_limits<double>::infinity(), bottom = -std::numeric_limits<double>::infinity();
    double violation() const { return top < bottom ? bottom - top : 0.0; }
  };

  bool rises(i64 v) const { return s_.value[v] < s_.high[v]; }
  bool falls(i64 v) const { return s_.value[v] > s_.low[v]; }
  double slope(i64 v) const { return f_[place_[s_.row[v]]] + s_.linear[v]; }
  bool shrunk() const { return i64(active_.size()) < source_.size(); }

  void begin() {
    const i64 n = source_.size();
    if (!absences_.empty()) {
      source_.keep(nullptr);
      cache_.resize(n);
    }
    active_.resize(std::size_t(n));
    std::iota(active_.begin(), active_.end(), i64(0));
    place_ = active_;
    variables_.resize(std::size_t(s_.n));
    std::iota(variables_.begin(), variables_.end(), i64(0));
    f_.assign(s_.f, s_.f + n);
    moved_.assign(std::size_t(n), 0.0);
    held_.clear();
    stay_.assign(std::size_t(n), 0);
    absences_.clear();
  }

  Extremes extremes() const {
    Extremes at;
    for (const i64 v : variables_) {
      const double g = slope(v);
      if (rises(v) && g < at.top) at.top = g;
      if (falls(v) && g > at.bottom) at.bottom = g;
    }
    return at;
  }

  // The working set: part of the last one, and those that violate most, from both ends.
  void choose(const Extremes& at) {
    const i64 limit = std::min<i64>({widest, cache_.most_rows(), i64(variables_.size())});
    std::vector<i64> chosen;
    taken_.assign(std::size_t(s_.n), 0);
    const auto take = [&](i64 v) {
      if (taken_[v]) return;
      taken_[v] = 1;
      chosen.push_back(v);
    };
    std::vector<std::pair<double, i64>> up, down;
    for (const i64 v : variables_) {
      const double g = slope(v);
      if (rises(v) && g < at.bottom) up.emplace_back(g, v);
      if (falls(v) && g > at.top) down.emplace_back(-g, v);
    }
    const i64 fresh = held_.empty() ? limit : std::max<i64>(2, limit / 2);
    const auto best = [](std::vector<std::pair<double, i64>>& all, i64 count) {
      count = std::min<i64>(count, i64(all.size()));
      std::nth_element(all.begin(), all.begin() + count, all.end());
      all.resize(std::size_t(count));
      std::sort(all.begin(), all.end());
    };
    best(up, fresh);
    best(down, fresh);
    const i64 longer = i64(std::max(up.size(), down.size()));
    for (i64 k = 0; k < longer && i64(chosen.size()) < fresh; ++k) {
      if (k < i64(up.size())) take(up[k].second);
      if (k < i64(down.size()) && i64(chosen.size()) < fresh) take(down[k].second);
    }
    // The newest of the last set first: what was moved lately is moved again most often.
    for (const i64 v : held_) {
      if (i64(chosen.size()) >= limit) break;
      if (place_[s_.row[v]] >= 0) take(v);
    }
    held_ = chosen;
  }

  void step(double tolerance, SmoReport& out) {
    const std::vector<i64>& set = held_;
    const i64 q = i64(set.size()), stride = (q + 7) / 8 * 8;
    std::vector<i64> rows;
    rows.reserve(std::size_t(q));
    std::vector<i64> where(static_cast<std::size_t>(q));
    for (i64 k = 0; k < q; ++k) {
      const i64 r = s_.row[set[k]];
      if (mark_[r] < 0) {
        mark_[r] = i64(rows.size());
        rows.push_back(r);
      }
      where[k] = mark_[r];
    }
    for (const i64 r : rows) mark_[r] = -1;
    const std::vector<const float*> lines =
        cache_.take(rows, [&](const std::vector<i64>& missing, const std::vector<float*>& places) { source_.fill(missing, places); });
    matrix_.resize(std::size_t(q * stride));
    work_.assign(std::size_t(5 * stride), 0.0);
    double *diagonal = work_.data(), *low = diagonal + stride, *high = low + stride, *slopes = high + stride, *value = slopes + stride;
    std::vector<i64> column(static_cast<std::size_t>(q));
    std::vector<const float*> line(static_cast<std::size_t>(q));
    for (i64 k = 0; k < q; ++k) column[k] = place_[rows[where[k]]];
    for (i64 k = 0; k < q; ++k) {
      const i64 v = set[k];
      line[k] = lines[where[k]];
      diagonal[k] = diagonal_[rows[where[k]]];
      low[k] = s_.low[v];
      high[k] = s_.high[v];
      slopes[k] = slope(v);
      value[k] = s_.value[v];
    }
    kernel_loops().gather(line.data(), column.data(), q, stride, matrix_.data());
    PairProblem problem;
    problem.n = q;
    problem.stride = stride;
    problem.matrix = matrix_.data();
    problem.diagonal = diagonal;
    problem.low = low;
    problem.high = high;
    problem.slope = slopes;
    problem.value = value;
    problem.tolerance = std::max(inner_share * out.violation, 0.5 * tolerance);
    problem.most_steps = std::max<i64>(1000, 20 * q);
    const PairSteps done = kernel_loops().pair_steps(problem);
    out.inner += done.steps;
    if (done.witness[0] >= 0 && done.curvature < out.curvature) {
      out.curvature = done.curvature;
      for (int e = 0; e < 2; ++e) out.witness[e] = s_.row[set[done.witness[e]]];
    }
    if (done.steps == 0) throw std::runtime_error("the steps of the working set found nothing to do");
    std::vector<double> change(rows.size(), 0.0);
    for (i64 k = 0; k < q; ++k) {
      change[where[k]] += value[k] - s_.value[set[k]];
      s_.value[set[k]] = value[k];
    }
    std::vector<const float*> used;
    std::vector<double> steps;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (change[k] == 0.0) continue;
      used.push_back(lines[k]);
      steps.push_back(change[k]);
      moved_[rows[k]] += change[k];
    }
    kernel_loops().add_rows(used.data(), steps.data(), i64(used.size()), i64(active_.size()), f_.data());
  }

  // Rows all of whose variables press against a bound, at two looks in a row, leave.
  void shrink(const Extremes& at) {
    if (cache_.most_rows() >= source_.size()) return;  // all rows fit: shorter ones would only be made twice
    std::vector<char> free(std::size_t(source_.size()), 0);
    for (const i64 v : variables_) {
      const double g = slope(v);
      const bool rests = (!rises(v) && g < at.top) || (!falls(v) && g > at.bottom);
      if (!rests) free[s_.row[v]] = 1;
    }
    std::vector<i64> kept;
    for (i64 k = 0; k < i64(active_.size()); ++k) {
      const i64 r = active_[k];
      stay_[r] = free[r] ? 0 : stay_[r] + 1;
      if (stay_[r] < 2) kept.push_back(k);
    }
    if (double(kept.size()) > 0.8 * double(active_.size()) || kept.size() < 2) return;
    store_f();
    if (!absences_.empty()) absences_.back().moved = moved_;
    std::fill(moved_.begin(), moved_.end(), 0.0);
    absences_.emplace_back();
    std::vector<i64> rows;
    std::vector<double> f;
    for (i64 k = 0, next = 0; k < i64(active_.size()); ++k) {
      if (next < i64(kept.size()) && kept[next] == k) {
        rows.push_back(active_[k]);
        f.push_back(f_[k]);
        ++next;
      } else {
        absences_.back().rows.push_back(active_[k]);
        place_[active_[k]] = -1;
      }
    }
    active_ = rows;
    f_ = f;
    for (i64 k = 0; k < i64(active_.size()); ++k) place_[active_[k]] = k;
    cache_.keep_columns(kept);
    source_.keep(&active_);
    variables_.erase(std::remove_if(variables_.begin(), variables_.end(), [&](i64 v) { return place_[s_.row[v]] < 0; }), variables_.end());
  }

  void store_f() {
    for (i64 k = 0; k < i64(active_.size()); ++k) s_.f[active_[k]] = f_[k];
  }

  // Brings every row back, with its part of f made up for.
  void restore() {
    store_f();
    if (!shrunk()) return;
    absences_.back().moved = moved_;
    std::vector<double> total(std::size_t(source_.size()), 0.0);  // moved since the rows left, from the last to the first
    for (auto absence = absences_.rbegin(); absence != absences_.rend(); ++absence) {
      std::vector<i64> movers;
      std::vector<double> steps;
      for (i64 r = 0; r < source_.size(); ++r) {
        total[r] += absence->moved[r];
        if (total[r] == 0.0) continue;
        movers.push_back(r);
        steps.push_back(total[r]);
      }
      if (movers.empty()) continue;
      std::vector<double> missing(absence->rows.size());
      source_.product(absence->rows, movers, steps, missing.data());
      for (std::size_t k = 0; k < missing.size(); ++k) s_.f[absence->rows[k]] += missing[k];
    }
    const std::vector<i64> held = held_;
    begin();
    held_ = held;
  }

  RowSource& source_;
  std::vector<double> diagonal_;
  RowCache cache_;
  SmoState s_;
  std::vector<i64> active_, place_, variables_, held_, mark_ = std::vector<i64>(diagonal_.size(), -1);
  std::vector<double> f_, moved_, work_;
  std::vector<float> matrix_;
  std::vector<int> stay_;
  std::vector<char> taken_;

  // Rows that left at one time, and what the values moved by until the next ones left.
  struct Absence {
    std::vector<i64> rows;
    std::vector<double> moved;
  };
  std::vector<Absence> absences_;
};

}  // namespace empirisk
