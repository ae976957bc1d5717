// Distances of all pairs of rows from their differences: Euclidean, Manhattan or Chebyshev, in double, each pair once. Columns are
// stored one after the other, so that one row meets many others in the lanes of a vector.
#pragma once
#include <cmath>

#include "clusters/cluster_table.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 distance_rows = 64;  // rows whose distances are mirrored together

struct SquareSum {
  static EMPIRISK_INLINE double add(double sum, double difference) { return sum + difference * difference; }
  static EMPIRISK_INLINE double finish(double sum) { return std::sqrt(sum); }
};
struct AbsoluteSum {
  static EMPIRISK_INLINE double add(double sum, double difference) { return sum + std::fabs(difference); }
  static EMPIRISK_INLINE double finish(double sum) { return sum; }
};
struct AbsoluteMost {
  static EMPIRISK_INLINE double add(double sum, double difference) { return most(sum, std::fabs(difference)); }
  static EMPIRISK_INLINE double finish(double sum) { return sum; }
};

// Distances of row i from rows first .. first + width - 1.
template <class Sum>
EMPIRISK_INLINE void distance_strip(const double* columns, i64 n, i64 p, i64 i, i64 first, i64 width, double* EMPIRISK_RESTRICT sum) {
  for (i64 l = 0; l < width; ++l) sum[l] = 0.0;
  for (i64 d = 0; d < p; ++d) {
    const double* column = columns + d * n;
    const double own = column[i];
    for (i64 l = 0; l < width; ++l) sum[l] = Sum::add(sum[l], own - column[first + l]);
  }
  for (i64 l = 0; l < width; ++l) sum[l] = Sum::finish(sum[l]);
}

template <class Sum, class T>
void fill_distances(const double* columns, i64 n, i64 p, i64 begin, i64 end, T* out) {
  const i64 chunks = ceil_div(end - begin, distance_rows);
  for_chunks(chunks, threads_for((end - begin) * (n - begin) * p, chunks), [&](i64 chunk, int) {
    alignas(64) double sum[distance_rows];
    const i64 from = begin + chunk * distance_rows, to = least(end, from + distance_rows);
    for (i64 first = from; first < n; first += distance_rows) {
      const i64 width = least(distance_rows, n - first);
      for (i64 i = from; i < to; ++i) {
        if (width == distance_rows) distance_strip<Sum>(columns, n, p, i, first, distance_rows, sum);
        else distance_strip<Sum>(columns, n, p, i, first, width, sum);
        for (i64 l = 0; l < width; ++l) out[i * n + first + l] = T(sum[l]);
        for (i64 l = 0; l < width; ++l) out[(first + l) * n + i] = T(sum[l]);
      }
    }
  });
}

// Rows begin..end and, mirrored, the columns of the same numbers; called for all rows in turn, it fills the matrix.
static void row_distances(const double* columns, i64 n, i64 p, i64 power, i64 begin, i64 end, void* out, bool is_float32) {
  const auto with = [&](auto* to) {
    if (power == 2) fill_distances<SquareSum>(columns, n, p, begin, end, to);
    else if (power == 1) fill_distances<AbsoluteSum>(columns, n, p, begin, end, to);
    else fill_distances<AbsoluteMost>(columns, n, p, begin, end, to);
  };
  is_float32 ? with(static_cast<float*>(out)) : with(static_cast<double*>(out));
}

}  // namespace empirisk::EMPIRISK_ISA
