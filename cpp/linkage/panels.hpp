// Distances of rows to panels of clusters: each lane of a vector is a cluster. Distances are sums over the columns of a function of
// the difference, so that equal rows are at distance zero and two rows are as far from each other in both directions.
#pragma once
#include <cmath>
#include <limits>
#if defined(__GNUC__) && (defined(__AVX2__) || defined(__AVX512F__))
#include <immintrin.h>
#endif

#include "linkage/linkage_table.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

using Lanes = Vec<double>;
constexpr i64 wide = lanes<double>;
constexpr double infinite = std::numeric_limits<double>::infinity();

EMPIRISK_INLINE bool any_at_most(const Lanes& a, const Lanes& b) {
#if defined(__GNUC__) && defined(__AVX512F__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ) != 0;
#elif defined(__GNUC__) && defined(__AVX2__)
  return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LE_OQ)) != 0;
#else
  bool any = false;
  for (i64 l = 0; l < wide; ++l) any |= a[l] <= b[l];
  return any;
#endif
}

EMPIRISK_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
#if defined(__GNUC__)
  return a > b ? a : b;
#else
  Lanes v;
  for (i64 l = 0; l < wide; ++l) v[l] = a[l] > b[l] ? a[l] : b[l];
  return v;
#endif
}

struct Squares {
  static EMPIRISK_INLINE void add(Lanes& sum, const Lanes& d) { sum += d * d; }
  static EMPIRISK_INLINE double one(double d) { return d * d; }
  static EMPIRISK_INLINE Lanes finish(const Lanes& v) { return v; }
};

struct Roots : Squares {
  static EMPIRISK_INLINE Lanes finish(const Lanes& v) {
    alignas(64) double part[wide];
    store(part, v);
    for (i64 l = 0; l < wide; ++l) part[l] = std::sqrt(part[l]);
    return load(part);
  }
};

struct HalfSquares : Squares {
  static EMPIRISK_INLINE double one(double d) { return 0.5 * d * d; }
  static EMPIRISK_INLINE Lanes finish(const Lanes& v) { return fill(0.5) * v; }
};

struct Absolutes {
  static EMPIRISK_INLINE void add(Lanes& sum, const Lanes& d) { sum += larger(d, fill(0.0) - d); }
  static EMPIRISK_INLINE double one(double d) { return d < 0.0 ? -d : d; }
  static EMPIRISK_INLINE Lanes finish(const Lanes& v) { return v; }
};

// out[m][j]: row m against panel j. Eight sums at a time hide the latency of an addition.
template <class Metric, int M, int N>
EMPIRISK_INLINE void distance_tile(i64 p, const double* const* rows, const double* panels, Lanes* out) {
  Lanes sum[M][N];
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) sum[m][j] = fill(0.0);
  for (i64 d = 0; d < p; ++d) {
    Lanes v[N];
    for (int j = 0; j < N; ++j) v[j] = load(panels + (j * p + d) * wide);
    for (int m = 0; m < M; ++m) {
      const Lanes x = fill(rows[m][d]);
      for (int j = 0; j < N; ++j) Metric::add(sum[m][j], x - v[j]);
    }
  }
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) out[m * N + j] = Metric::finish(sum[m][j]);
}

// One row against `count` panels that lie one behind the other: use(panel, distances).
template <class Metric, class Use>
EMPIRISK_INLINE void row_to_panels(i64 p, const double* row, const double* panels, i64 begin, i64 end, const Use& use) {
  Lanes out[4];
  i64 k = begin;
  for (; k + 4 <= end; k += 4) {
    distance_tile<Metric, 1, 4>(p, &row, panels + k * p * wide, out);
    for (i64 j = 0; j < 4; ++j) use(k + j, out[j]);
  }
  for (; k < end; ++k) {
    distance_tile<Metric, 1, 1>(p, &row, panels + k * p * wide, out);
    use(k, out[0]);
  }
}

// How the sum S that two clusters have becomes their distance. `may` is a quick test that never misses a distance of at most `best`.
constexpr double slack = 1.0 + 16.0 * 2.220446049250313e-16;

struct AsItIs {  // complete linkage, and weighted
  static EMPIRISK_INLINE double exact(double s, double, double) { return s; }
  static EMPIRISK_INLINE bool may(const Lanes& s, double, const Lanes&, double best) { return any_at_most(s, fill(best)); }
};

struct PerPair {  // average linkage: the mean over all pairs
  static EMPIRISK_INLINE double exact(double s, double mine, double its) { return s / (mine * its); }
  static EMPIRISK_INLINE bool may(const Lanes& s, double mine, const Lanes& its, double best) {
    return any_at_most(s, fill(best * mine * slack) * its);
  }
};

struct Inertia {  // Ward: twice the rise of inertia, from the squared distance of the centroids
  static EMPIRISK_INLINE double exact(double s, double mine, double its) { return s * (2.0 * mine * its / (mine + its)); }
  static EMPIRISK_INLINE bool may(const Lanes& s, double mine, const Lanes& its, double best) {
    return any_at_most(s * (fill(2.0 * mine) * its), fill(best * slack) * (fill(mine) + its));
  }
};

// The nearest cluster so far; of equally near ones the smaller slot.
struct Nearest {
  double distance = infinite;
  i64 slot = -1;
  EMPIRISK_INLINE void see(double d, i64 s) {
    if (d < distance || (d == distance && s < slot)) {
      distance = d;
      slot = s;
    }
  }
};

}  // namespace empirisk::EMPIRISK_ISA
