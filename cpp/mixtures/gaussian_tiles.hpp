// The arithmetic of one tile of rows and one Gaussian: squared lengths of whitened differences, and sums of products about the mean.
// Rows lie in panels of a few vectors, column after column, so that every read is one run of memory.
#pragma once
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 mixture_tile = 256;                                 // rows of a tile; a multiple of every panel
constexpr int panel_vectors = EMPIRISK_VECTOR_BYTES == 64 ? 4 : 2;  // accumulators: 4 times as many
constexpr int factor_rows = 4;

template <class T>
constexpr i64 panel_rows = panel_vectors * lanes<T>;

template <class T>
EMPIRISK_INLINE double sum_of_lanes(const Vec<T>& v) {
  if constexpr (sizeof(T) == 8) {
    return lane_sum(v);
  } else {
    alignas(64) T part[lanes<T>];
    store(part, v);
    double s = 0.0;
    for (i64 l = 0; l < lanes<T>; ++l) s += double(part[l]);
    return s;
  }
}

// Numbers of a packed triangle: rows in groups of four, column after column, zeros above the diagonal.
constexpr i64 packed_triangle(i64 p) {
  i64 size = 0;
  for (i64 j = 0; j < p; j += factor_rows) size += factor_rows * least<i64>(p, j + factor_rows);
  return size;
}

template <class T>
void pack_triangle(i64 p, const double* inverse, T* to) {
  for (i64 j = 0; j < p; j += factor_rows)
    for (i64 i = 0; i < least<i64>(p, j + factor_rows); ++i)
      for (i64 a = 0; a < factor_rows; ++a) *to++ = j + a < p && i <= j + a ? T(inverse[(j + a) * p + i]) : T(0);
}

// squares[row] = ||W d||^2 for the rows of one panel.
template <class T>
void whiten_panel(i64 p, const T* packed, const T* d, double* squares) {
  constexpr i64 L = lanes<T>, width = panel_rows<T>;
  Vec<T> q[panel_vectors];
  for (int v = 0; v < panel_vectors; ++v) q[v] = fill(T(0));
  for (i64 j = 0; j < p; j += factor_rows) {
    Vec<T> y[factor_rows][panel_vectors];
    for (int a = 0; a < factor_rows; ++a)
      for (int v = 0; v < panel_vectors; ++v) y[a][v] = fill(T(0));
    for (i64 i = 0; i < least<i64>(p, j + factor_rows); ++i, packed += factor_rows) {
      Vec<T> x[panel_vectors];
      for (int v = 0; v < panel_vectors; ++v) x[v] = load(d + i * width + v * L);
      for (int a = 0; a < factor_rows; ++a) {
        const Vec<T> w = fill(packed[a]);
        for (int v = 0; v < panel_vectors; ++v) y[a][v] += w * x[v];
      }
    }
    for (int a = 0; a < factor_rows; ++a)
      for (int v = 0; v < panel_vectors; ++v) q[v] += y[a][v] * y[a][v];
  }
  for (int v = 0; v < panel_vectors; ++v) {
    alignas(64) T part[L];
    store(part, q[v]);
    for (i64 l = 0; l < L; ++l) squares[v * L + l] = double(part[l]);
  }
}

// The same with reciprocal deviations in the place of a triangle.
template <class T>
void scale_panel(i64 p, const T* reciprocal, const T* d, double* squares) {
  constexpr i64 L = lanes<T>, width = panel_rows<T>;
  for (int v = 0; v < panel_vectors; ++v) {
    Vec<T> q = fill(T(0));
    for (i64 j = 0; j < p; ++j) {
      const Vec<T> y = load(d + j * width + v * L) * fill(reciprocal[j]);
      q += y * y;
    }
    alignas(64) T part[L];
    store(part, q);
    for (i64 l = 0; l < L; ++l) squares[v * L + l] = double(part[l]);
  }
}

// second[i][j] += sum over the panels of r d_i d_j for a block of A x B columns; r is zero beyond the last row.
template <int A, int B, class T>
void add_products(i64 p, i64 panels, const T* d, const T* r, i64 i, i64 j, double* second) {
  constexpr i64 L = lanes<T>, width = panel_rows<T>;
  Vec<T> sum[A][B];
  for (int a = 0; a < A; ++a)
    for (int b = 0; b < B; ++b) sum[a][b] = fill(T(0));
  for (i64 g = 0; g < panels; ++g)
    for (int v = 0; v < panel_vectors; ++v) {
      const T* at = d + g * p * width + v * L;
      const Vec<T> share = load(r + g * width + v * L);
      Vec<T> left[A];
      for (int a = 0; a < A; ++a) left[a] = share * load(at + (i + a) * width);
      for (int b = 0; b < B; ++b) {
        const Vec<T> right = load(at + (j + b) * width);
        for (int a = 0; a < A; ++a) sum[a][b] += left[a] * right;
      }
    }
  for (int a = 0; a < A; ++a)
    for (int b = 0; b < B; ++b)
      if (j + b <= i + a) second[(i + a) * p + j + b] += sum_of_lanes<T>(sum[a][b]);
}

template <class T>
void add_scatter(i64 p, i64 panels, const T* d, const T* r, double* second) {
  i64 i = 0;
  for (; i + 4 <= p; i += 4) {
    i64 j = 0;
    for (; j + 2 <= i + 4; j += 2) add_products<4, 2>(p, panels, d, r, i, j, second);
  }
  for (; i < p; ++i) {
    i64 j = 0;
    for (; j + 4 <= i + 1; j += 4) add_products<1, 4>(p, panels, d, r, i, j, second);
    for (; j <= i; ++j) add_products<1, 1>(p, panels, d, r, i, j, second);
  }
}

// first[j] += sum of r d_j, and with `squares` second[j] += sum of r d_j^2.
template <class T>
void add_columns(i64 p, i64 panels, const T* d, const T* r, double* first, double* squares) {
  constexpr i64 L = lanes<T>, width = panel_rows<T>;
  for (i64 j = 0; j < p; ++j) {
    Vec<T> sum = fill(T(0)), square = fill(T(0));
    for (i64 g = 0; g < panels; ++g)
      for (int v = 0; v < panel_vectors; ++v) {
        const Vec<T> x = load(d + (g * p + j) * width + v * L), y = x * load(r + g * width + v * L);
        sum += y;
        square += x * y;
      }
    first[j] += sum_of_lanes<T>(sum);
    if (squares) squares[j] += sum_of_lanes<T>(square);
  }
}

}  // namespace empirisk::EMPIRISK_ISA
