// Sums of a layer on their way to its activation: u = (a - m) / sqrt(v + eps), then gain u + bias; and the way back of slopes.
// m and v are the mean and variance of a column of the batch (rows count by their shares), or of a row (units count alike).
// All sums run in a fixed order in double precision, so that threads change no bit.
#pragma once
#include <cmath>

#include "network/network_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr double least_variance = 1e-5;  // that of the rows of `problems/normalizations`

template <class T>
struct NormalPlace {
  Normal kind = Normal::none;
  i64 units = 0;
  T* unit = nullptr;          // u, (batch, units)
  double* inverse = nullptr;  // 1 / sqrt(v + eps), of each column or row
  double *first = nullptr, *second = nullptr;  // (units): sums over rows
};

// Columns [from, to) of the batch; shares of the rows add up to 1.
template <class T>
void normalise_columns(const NormalPlace<T>& at, const T* a, const double* share, i64 n, i64 from, i64 to) {
  double* EMPIRISK_RESTRICT mean = at.first;
  double* EMPIRISK_RESTRICT inverse = at.inverse;
  for (i64 j = from; j < to; ++j) mean[j] = inverse[j] = 0.0;
  for (i64 r = 0; r < n; ++r)
    for (i64 j = from; j < to; ++j) mean[j] += share[r] * double(a[r * at.units + j]);
  for (i64 r = 0; r < n; ++r)
    for (i64 j = from; j < to; ++j) {
      const double off = double(a[r * at.units + j]) - mean[j];
      inverse[j] += share[r] * off * off;
    }
  for (i64 j = from; j < to; ++j) inverse[j] = 1.0 / std::sqrt(inverse[j] + least_variance);
  for (i64 r = 0; r < n; ++r)
    for (i64 j = from; j < to; ++j) at.unit[r * at.units + j] = T((double(a[r * at.units + j]) - mean[j]) * inverse[j]);
}

// Rows [from, to) of the batch.
template <class T>
void normalise_rows(const NormalPlace<T>& at, const T* a, i64 from, i64 to) {
  for (i64 r = from; r < to; ++r) {
    const T* EMPIRISK_RESTRICT row = a + r * at.units;
    T* EMPIRISK_RESTRICT u = at.unit + r * at.units;
    double mean = 0.0, variance = 0.0;
    for (i64 j = 0; j < at.units; ++j) mean += double(row[j]);
    mean /= double(at.units);
    for (i64 j = 0; j < at.units; ++j) variance += (double(row[j]) - mean) * (double(row[j]) - mean);
    const double inverse = 1.0 / std::sqrt(variance / double(at.units) + least_variance);
    for (i64 j = 0; j < at.units; ++j) u[j] = T((double(row[j]) - mean) * inverse);
    at.inverse[r] = inverse;
  }
}

// The gradients of biases and gains in columns [from, to): sums over the rows of d and of d u.
template <class T>
void sum_slopes(const NormalPlace<T>& at, const T* d, i64 n, i64 from, i64 to, T* biases, T* gains) {
  for (i64 j = from; j < to; ++j) at.first[j] = at.second[j] = 0.0;
  for (i64 r = 0; r < n; ++r)
    for (i64 j = from; j < to; ++j) {
      const double slope = double(d[r * at.units + j]);
      at.first[j] += slope;
      at.second[j] += slope * double(at.unit[r * at.units + j]);
    }
  for (i64 j = from; j < to; ++j) biases[j] = T(at.first[j]), gains[j] = T(at.second[j]);
}

// d, the slopes in gain u + bias, becomes the slopes in a: columns [from, to), after their sums.
template <class T>
void slopes_of_columns(const NormalPlace<T>& at, const T* gain, const double* share, T* d, i64 n, i64 from, i64 to) {
  for (i64 r = 0; r < n; ++r)
    for (i64 j = from; j < to; ++j) {
      T& slope = d[r * at.units + j];
      const double common = share[r] * (at.first[j] + double(at.unit[r * at.units + j]) * at.second[j]);
      slope = T(at.inverse[j] * double(gain[j]) * (double(slope) - common));
    }
}

// The same of rows [from, to), whose own sums it takes.
template <class T>
void slopes_of_rows(const NormalPlace<T>& at, const T* gain, T* d, i64 from, i64 to) {
  for (i64 r = from; r < to; ++r) {
    T* slope = d + r * at.units;
    const T* u = at.unit + r * at.units;
    double first = 0.0, second = 0.0;
    for (i64 j = 0; j < at.units; ++j) {
      const double part = double(gain[j]) * double(slope[j]);
      first += part, second += part * double(u[j]);
    }
    first /= double(at.units), second /= double(at.units);
    for (i64 j = 0; j < at.units; ++j)
      slope[j] = T(at.inverse[r] * (double(gain[j]) * double(slope[j]) - first - double(u[j]) * second));
  }
}

}  // namespace empirisk::EMPIRISK_ISA
