// Dual coordinate ascent in random order with shrinking (Hsieh et al. 2008; Shalev-Shwartz and Zhang 2013).
// One step solves for the dual value of one row exactly: with a = z_i - q t_i, q = share_i (|x_i|^2/l2 + 1/pull),
//   t_i <- argmin_t l_i*(-t) + a t + q t^2/2.
// The order of an epoch is a fresh permutation of the rows that are not shrunk; it depends on the seed alone.
#pragma once
#include <cmath>

#include "loops/dual_ascent.hpp"
#include "support/simd.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

// Rows come in random order, which no hardware foresees: the next one is asked for while this one is at work.
EMPIRISK_INLINE void fetch([[maybe_unused]] const void* from, [[maybe_unused]] i64 bytes) {
#if defined(__GNUC__)
  const char* p = static_cast<const char*>(from);
  for (i64 k = 0; k < bytes; k += 64) __builtin_prefetch(p + k, 0, 1);
#endif
}

template <class T>
struct DenseRows {
  DenseView<T> x;  // contiguous rows
  EMPIRISK_INLINE double dot(i64 i, const double* w) const {
    const T* r = x.data + i * x.row_stride;
    Vec<double> a = fill(0.0), b = fill(0.0);
    i64 j = 0;
    for (; j + 2 * lanes<double> <= x.cols; j += 2 * lanes<double>) {
      a += load_double(r + j) * load(w + j);
      b += load_double(r + j + lanes<double>) * load(w + j + lanes<double>);
    }
    double s = lane_sum(a + b);
    for (; j < x.cols; ++j) s += double(r[j]) * w[j];
    return s;
  }
  EMPIRISK_INLINE void fetch_row(i64 i) const {
    fetch(x.data + i * x.row_stride, least<i64>(x.cols, 256) * i64(sizeof(T)));
  }
  EMPIRISK_INLINE void add(i64 i, double f, double* w) const {
    const T* r = x.data + i * x.row_stride;
    for (i64 j = 0; j < x.cols; ++j) w[j] += f * double(r[j]);
  }
};

template <class T, class I>
struct SparseRows {
  CompressedView<T, I> x;
  EMPIRISK_INLINE double dot(i64 i, const double* w) const {
    double s = 0.0, u = 0.0;
    i64 k = i64(x.indptr[i]);
    const i64 end = i64(x.indptr[i + 1]);
    for (; k + 2 <= end; k += 2) {
      s += double(x.data[k]) * w[x.indices[k]];
      u += double(x.data[k + 1]) * w[x.indices[k + 1]];
    }
    if (k < end) s += double(x.data[k]) * w[x.indices[k]];
    return s + u;
  }
  EMPIRISK_INLINE void fetch_row(i64 i) const {
    const i64 k = i64(x.indptr[i]), entries = least<i64>(i64(x.indptr[i + 1]) - k, 256);
    fetch(x.data + k, entries * i64(sizeof(T)));
    fetch(x.indices + k, entries * i64(sizeof(I)));
  }
  EMPIRISK_INLINE void add(i64 i, double f, double* w) const {
    for (i64 k = i64(x.indptr[i]), end = i64(x.indptr[i + 1]); k < end; ++k) w[x.indices[k]] += f * double(x.data[k]);
  }
};

struct SplitMix {  // Steele, Lea and Flood 2014
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Below n < 2^32: the high half of a product; its bias is below n / 2^32.
  i64 below(i64 n) { return i64(((next() >> 32) * std::uint64_t(n)) >> 32); }
};

// The root of log(a/(1-a)) + u + q a in (0, 1), by Newton's method in the logit x, a = 1/(1+exp(-x)), which is monotone there.
inline double logistic_share(double u, double q) {
  double low = -u - q, high = -u;
  double x = 0.5 * (low + high), last = HUGE_VAL;
  for (int k = 0; k < 60; ++k) {
    const double a = 1.0 / (1.0 + std::exp(-x)), f = x + u + q * a;
    (f > 0.0 ? high : low) = x;
    const double change = f / (1.0 + q * a * (1.0 - a)), next = x - change;
    // What rounding makes of f is no reason to move: brackets that noise has drawn lead away.
    if (std::fabs(f) <= 4e-16 * (std::fabs(x) + std::fabs(u) + q * a) || std::fabs(change) <= 1e-15 * std::fabs(x)) break;
    // Newton steps can swing from one flat end to the other: then the bracket is halved.
    x = next > low && next < high && std::fabs(f) <= 0.5 * last ? next : 0.5 * (low + high);
    last = std::fabs(f);
  }
  return 1.0 / (1.0 + std::exp(-x));
}

template <class Rows>
class DualAscent {
 public:
  DualAscent(const Rows& x, const DualRowsView& rows, const DualTask& task, const DualState& state)
      : x_(x), r_(rows), t_(task), s_(state), random_{task.seed} {}

  DualResult run() {
    DualResult out{0, s_.active, 0.0, s_.shrink, 0};
    while (out.epochs < t_.epochs) {
      out.visits += out.active;
      epoch(out);
      ++out.epochs;
      out.shrink = out.violation;
      if (out.violation == 0.0 || out.active == 0) break;
    }
    return out;
  }

 private:
  void epoch(DualResult& out) {
    for (i64 k = out.active - 1; k > 0; --k) swap(k, random_.below(k + 1));
    out.violation = 0.0;
    for (i64 k = 0; k < out.active;) {
      const i64 i = s_.order[k];
      if (k + 1 < out.active) x_.fetch_row(s_.order[k + 1]);
      const double z = x_.dot(i, s_.w) + *s_.b;
      if (stuck(i, z, out.shrink)) {
        swap(k, --out.active);
        continue;
      }
      const double moved = step(i, z);
      if (moved > out.violation) out.violation = moved;
      ++k;
    }
  }

  void swap(i64 a, i64 b) {
    const i64 row = s_.order[a];
    s_.order[a] = s_.order[b];
    s_.order[b] = row;
  }

  // At an end of its interval, or at 0 inside the tube, with a score that misses moving it by more than the margin.
  bool stuck(i64 i, double z, double margin) const {
    if (r_.logistic) return false;
    const double t = s_.theta[i], r = r_.center[i] - z - r_.curvature * t;
    if (t == 0.0 && r_.tube > 0.0 && std::fabs(r) < r_.tube - margin) return true;
    if (t == r_.low[i] && r + r_.tube < -margin) return true;
    return t == r_.high[i] && r - r_.tube > margin;
  }

  // Moves one dual value and w; returns how far its score moved.
  double step(i64 i, double z) {
    const double share = t_.share[i], pull = t_.pull > 0.0 ? 1.0 / t_.pull : 0.0;
    const double q = share * (t_.square[i] / t_.l2 + pull);
    const double old = s_.theta[i], t = best(i, z - q * old, q), change = t - old;
    if (change == 0.0) return 0.0;
    s_.theta[i] = t;
    x_.add(i, share * change / t_.l2, s_.w);
    *s_.b += share * change * pull;
    return std::fabs(change) * (q + r_.curvature);
  }

  double best(i64 i, double a, double q) const {
    const double c = r_.center[i];
    if (r_.logistic) return c * logistic_share(a * c, q);
    double r = c - a;
    r -= r > r_.tube ? r_.tube : r < -r_.tube ? -r_.tube : r;
    const double d = q + r_.curvature, low = r_.low[i], high = r_.high[i];
    // A row of zeros without curvature has no step length: its value is an end, or 0 where it does not matter.
    const double t = d > 0.0 ? r / d : r > 0.0 ? high : r < 0.0 ? low : 0.0;
    return t < low ? low : t > high ? high : t;
  }

  Rows x_;
  DualRowsView r_;
  DualTask t_;
  DualState s_;
  SplitMix random_;
};

static DualResult ascend(const Matrix& x, const DualRowsView& rows, const DualTask& task, const DualState& state) {
  if (x.storage == Storage::dense) {
    if (x.is_float32) return DualAscent<DenseRows<float>>({dense_view<float>(x)}, rows, task, state).run();
    return DualAscent<DenseRows<double>>({dense_view<double>(x)}, rows, task, state).run();
  }
  DualResult result{};
  visit_compressed(x, [&]<class T, class I>(const CompressedView<T, I>& view) {
    result = DualAscent<SparseRows<T, I>>({view}, rows, task, state).run();
  });
  return result;
}

}  // namespace empirisk::EMPIRISK_ISA
