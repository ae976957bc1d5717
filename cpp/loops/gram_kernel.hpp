// Packing and register tiles of the symmetric product  A = P' P,  where the block P (depth x width) is packed into panels of
// one vector of columns each. Only the tiles on and above the diagonal are computed.
#pragma once
#include "support/simd.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

// Rows and panels of a register tile: 8 x 3 accumulators of 32 registers, 4 x 3 of 16.
template <class T>
constexpr int tile_rows = int(least<i64>(EMPIRISK_VECTOR_BYTES == 64 ? 8 : 4, lanes<T>));
constexpr int tile_panels = 3;

// The operand, indexed (depth, lane): for gram the depth runs over the rows of X, for gram_rows over its columns.
template <class In>
struct GramOperand {
  const In* data;
  i64 depth, width, depth_step, lane_step;
  const double* depth_shift;  // subtracted from a whole depth slice, or null
  const double* lane_shift;   // subtracted from a whole lane, or null
  const double* depth_scale;  // square roots of the weights, or null
  const double* lane_scale;
};

// panel[d][l] = (x(d0 + d, l0 + l) - shifts) * scales in doubles, then of type T; zero beyond the width. The shifts and scales of
// the lanes are those of this panel, padded to its whole width.
template <class In, class T>
inline void pack_panel(const GramOperand<In>& x, const double* shift, const double* scale, i64 d0, i64 depth, i64 l0, T* panel) {
  constexpr i64 L = lanes<T>, D = lanes<double>;
  const i64 width = least(L, x.width - l0);
  const In* EMPIRISK_RESTRICT from = x.data + d0 * x.depth_step + l0 * x.lane_step;
  T* EMPIRISK_RESTRICT to = panel;
  for (i64 d = 0; d < depth; ++d, from += x.depth_step, to += L) {
    const double a = x.depth_shift ? x.depth_shift[d0 + d] : 0.0, s = x.depth_scale ? x.depth_scale[d0 + d] : 1.0;
    if (width == L && x.lane_step == 1) {
      for (i64 l = 0; l < L; l += D)
        store_double(to + l, (load_double(from + l) - (a + load(shift + l))) * (s * load(scale + l)));
    } else {
      for (i64 l = 0; l < width; ++l) to[l] = T((double(from[l * x.lane_step]) - (a + shift[l])) * (s * scale[l]));
      for (i64 l = width; l < L; ++l) to[l] = T(0);
    }
  }
}

// c[m][l] += sum_d left[d][m] * right[d][l] for N neighbouring panels; `left` points at the first of MR lanes of its panel.
// The block is summed in T and added in double.
template <int N, class T>
inline void gram_tile(i64 depth, const T* left, const T* right, i64 panel_size, double* c, i64 ldc) {
  constexpr int M = tile_rows<T>;
  constexpr i64 L = lanes<T>;
  Vec<T> acc[M][N];
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) acc[m][j] = fill(T(0));
  for (i64 d = 0; d < depth; ++d) {
    Vec<T> r[N];
    for (int j = 0; j < N; ++j) r[j] = load(right + j * panel_size + d * L);
    for (int m = 0; m < M; ++m) {
      const Vec<T> x = fill(left[d * L + m]);
      for (int j = 0; j < N; ++j) acc[m][j] += x * r[j];
    }
  }
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) {
      alignas(64) T sum[L];
      store(sum, acc[m][j]);
      for (i64 l = 0; l < L; ++l) c[m * ldc + j * L + l] += double(sum[l]);
    }
}

// All tiles on or above the diagonal whose columns lie in the panels [begin, end), at most three. c holds the rows 0 .. end of these
// columns alone.
template <class T>
inline void gram_group(i64 depth, const T* packed, i64 begin, i64 end, double* c) {
  constexpr i64 L = lanes<T>, M = tile_rows<T>;
  const i64 size = depth * L, ldc = (end - begin) * L;
  for (i64 row = 0; row < end * L; row += M) {
    const i64 panel = row / L, first = most(begin, panel);
    const T* left = packed + panel * size + row % L;
    const T* right = packed + first * size;
    double* out = c + row * ldc + (first - begin) * L;
    switch (end - first) {
      case 3: gram_tile<3>(depth, left, right, size, out, ldc); break;
      case 2: gram_tile<2>(depth, left, right, size, out, ldc); break;
      default: gram_tile<1>(depth, left, right, size, out, ldc);
    }
  }
}

}  // namespace empirisk::EMPIRISK_ISA
