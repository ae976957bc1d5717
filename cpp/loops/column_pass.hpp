// One read of a column that adds up functions of its numbers and says whether they are what they should be. Tiles of rows stay
// in the first cache; the sums of tiles are added with the error of each addition carried on (Neumaier, 1974).
#pragma once
#include <cmath>
#include <limits>

#include "loops/column_table.hpp"
#include "support/visit.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 column_tile = 512;  // a multiple of the lanes of every instruction set

struct CarriedSum {
  double sum = 0.0, rest = 0.0;
  void add(double v) {
    const double next = sum + v;
    rest += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  double value() const { return sum + rest; }
};

// The next rows of a column as doubles; lanes behind the last one repeat the first.
template <class T>
EMPIRISK_INLINE void read_tile(const DenseView<T>& x, i64 first, i64 n, double* EMPIRISK_RESTRICT v) {
  const T* at = x.data + first * x.row_stride;
  if (x.row_stride == 1) {
    for (i64 i = 0; i < n; ++i) v[i] = double(at[i]);
  } else {
    for (i64 i = 0; i < n; ++i) v[i] = double(at[i * x.row_stride]);
  }
  for (i64 i = n; i < round_up(n, lanes<double>); ++i) v[i] = v[0];
}

// What is seen of numbers on the way: ends, and a sum that is no number once one of them is not finite.
struct SeenRange {
  Vec<double> least = fill(std::numeric_limits<double>::infinity()), negated = least, odd = fill(0.0);
  void see(const double* v, i64 n) {
    for (i64 i = 0; i < n; i += lanes<double>) {
      const Vec<double> a = load(v + i);
      least = smaller<double>(a, least);
      negated = smaller<double>(fill(0.0) - a, negated);
      odd += a - a;
    }
  }
  bool finite() const { return lane_sum(odd) == 0.0; }
  static double end(const Vec<double>& v) {
    double out = v[0];
    for (i64 i = 1; i < lanes<double>; ++i) out = v[i] < out ? v[i] : out;
    return out;
  }
};

// The sum of log v[i] for normal v[i] and n <= column_tile: numbers in [sqrt(1/2), sqrt(2)) are multiplied and exponents added,
// so that one logarithm serves many rows. Each product is off by as much as rounding v[i] is, and none leaves the doubles.
inline double log_sum(const double* v, i64 n) {
  constexpr i64 width = 16;
  alignas(64) double product[width];
  alignas(64) std::uint64_t exponents[width];
  for (i64 l = 0; l < width; ++l) product[l] = 1.0, exponents[l] = 0;
  const auto take = [&](i64 l, double a) {
    const std::uint64_t e = middle_exponent(a);
    product[l] *= std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) - (e << 52));
    exponents[l] += e ^ 0x800;  // 2048 more than e, which has 12 bits
  };
  i64 i = 0;
  for (; i + width <= n; i += width)
    for (i64 l = 0; l < width; ++l) take(l, v[i + l]);
  for (; i < n; ++i) take(i % width, v[i]);
  std::uint64_t whole = 0;
  for (i64 l = 0; l < width; ++l) {
    whole += exponents[l];
    product[l] = log_fast(product[l]);
  }
  const double k = double(i64(whole) - 2048 * n);
  return k * ln2_high + (k * ln2_low + fixed_sum(product, width));
}

template <class T>
void column_sums(const DenseView<T>& x, const ColumnPass& pass, ColumnSums& out) {
  alignas(64) double v[column_tile], f[column_tile], w[column_tile];
  SeenRange rows, weights;
  CarriedSum weight, first_sum, square, log, log_rest;
  const double* s = pass.weights;
  const auto added = [&](CarriedSum& sum, i64 n, auto function) {
    for (i64 i = 0; i < n; ++i) f[i] = function(v[i]);
    for (i64 i = 0; s && i < n; ++i) f[i] *= w[i];
    sum.add(fixed_sum(f, n));
  };
  for (i64 first = 0; first < x.rows; first += column_tile) {
    const i64 n = least(column_tile, x.rows - first), whole = round_up(n, lanes<double>);
    read_tile(x, first, n, v);
    rows.see(v, whole);
    if (s) {
      read_tile(DenseView<double>{s, x.rows, 1, 1, 1}, first, n, w);
      weights.see(w, whole);
      weight.add(fixed_sum(w, n));
    }
    if (pass.log && s) added(log, n, [](double a) { return log_fast(a); });
    else if (pass.log) log.add(log_sum(v, n));
    if (pass.log_rest) added(log_rest, n, [](double a) { return log1p_fast(-a); });
    for (i64 i = 0; pass.origin != 0.0 && i < n; ++i) v[i] -= pass.origin;
    if (s) added(first_sum, n, [](double a) { return a; });
    else first_sum.add(fixed_sum(v, n));
    if (pass.square) added(square, n, [](double a) { return a * a; });
  }
  out.weight = s ? weight.value() : double(x.rows);
  out.x = first_sum.value();
  out.square = square.value();
  out.log = log.value();
  out.log_rest = log_rest.value();
  out.least = SeenRange::end(rows.least);
  out.greatest = -SeenRange::end(rows.negated);
  out.plain = rows.finite() && (!s || (weights.finite() && SeenRange::end(weights.least) > 0.0));
  if (pass.log) out.plain = out.plain && out.least >= 0x1p-1022 && out.greatest < 0x1p1022;
  if (pass.log_rest) out.plain = out.plain && out.least >= 0.0 && out.greatest < 1.0;
}

// Four tables take turns, because the next row often is the same count and would wait for the last one.
template <class T>
i64 count_rows(const DenseView<T>& x, const double* s, double* table) {
  constexpr i64 tables = 4;
  alignas(64) double v[column_tile];
  alignas(64) std::int32_t code[column_tile];
  const Buffer<std::uint32_t> times(tables * most_tallied);
  for (i64 c = 0; c < most_tallied; ++c) table[c] = 0.0;
  for (i64 c = 0; c < tables * most_tallied; ++c) times[c] = 0;
  i64 greatest = -1;
  for (i64 first = 0; first < x.rows; first += column_tile) {
    const i64 n = least(column_tile, x.rows - first);
    read_tile(x, first, n, v);
    std::int32_t odd = 0, top = 0;
    for (i64 i = 0; i < n; ++i) {
      const double held = v[i] >= 0.0 && v[i] < double(most_tallied) ? v[i] : 0.5;  // 0.5 becomes 0, which v[i] is not
      code[i] = std::int32_t(held);
      odd |= double(code[i]) == v[i] ? 0 : 1;
      top = code[i] > top ? code[i] : top;
    }
    if (odd) return -1;
    greatest = most<i64>(greatest, top);
    if (s) {
      for (i64 i = 0; i < n; ++i) {
        if (!(s[first + i] > 0.0 && s[first + i] <= std::numeric_limits<double>::max())) return -1;
        table[code[i]] += s[first + i];
      }
    } else {
      i64 i = 0;
      for (; i + tables <= n; i += tables)
        for (i64 t = 0; t < tables; ++t) ++times[t * most_tallied + code[i + t]];
      for (; i < n; ++i) ++times[code[i]];
    }
  }
  for (i64 c = 0; !s && c <= greatest; ++c)
    for (i64 t = 0; t < tables; ++t) table[c] += double(times[t * most_tallied + c]);
  return greatest;
}

inline void sum_column(const ColumnPass& pass, ColumnSums& out) {
  if (pass.x.is_float32) column_sums(dense_view<float>(pass.x), pass, out);
  else column_sums(dense_view<double>(pass.x), pass, out);
}

inline i64 tally_column(const ColumnPass& pass, double* table) {
  return pass.x.is_float32 ? count_rows(dense_view<float>(pass.x), pass.weights, table)
                           : count_rows(dense_view<double>(pass.x), pass.weights, table);
}

}  // namespace empirisk::EMPIRISK_ISA
