// The two register-blocked products that every pass over a dense matrix is made of. A is a block whose rows (for an F-ordered
// matrix: columns) are contiguous; k right-hand sides lie one after the other.
//   dots:  out[r, c] = sum_t A[r, t] V[c, t]         axpys:  G[c, t] += sum_r A[r, t] U[r, c]
// Both compute in double whatever the type of A, in an order that depends on the shapes alone.
#pragma once
#include <type_traits>

#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Strided {  // an output or input addressed by (row, right-hand side)
  double* data;
  i64 row_step, rhs_step;
  double& at(i64 r, i64 c) const { return data[r * row_step + c * rhs_step]; }
};

// strip(c, width) for right-hand sides c, c + width, ...: as many as fit the registers at a time.
template <class Strip>
EMPIRISK_INLINE void for_strips(i64 k, const Strip& strip) {
  i64 c = 0;
  for (; c + 4 <= k; c += 4) strip(c, std::integral_constant<int, 4>{});
  if (k - c == 3) strip(c, std::integral_constant<int, 3>{});
  if (k - c == 2) strip(c, std::integral_constant<int, 2>{});
  if (k - c == 1) strip(c, std::integral_constant<int, 1>{});
}

// `last` holds V's last vector with the lanes that the full vectors have already covered set to zero.
template <int NR, int NC, class T>
EMPIRISK_INLINE void dot_tile(const T* a, i64 lda, i64 len, const double* v, i64 ldv, const double* last, const Strided& out) {
  constexpr i64 L = lanes<double>;
  if (len < L) {
    for (int r = 0; r < NR; ++r)
      for (int c = 0; c < NC; ++c) {
        double sum = 0.0;
        for (i64 t = 0; t < len; ++t) sum += double(a[r * lda + t]) * v[c * ldv + t];
        out.at(r, c) = sum;
      }
    return;
  }
  Vec<double> acc[NR][NC];
  for (int r = 0; r < NR; ++r)
    for (int c = 0; c < NC; ++c) acc[r][c] = fill(0.0);
  auto step = [&](i64 t, const double* right, i64 ldr) {
    Vec<double> x[NR];
    for (int r = 0; r < NR; ++r) x[r] = load_double(a + r * lda + t);
    for (int c = 0; c < NC; ++c) {
      const Vec<double> w = load(right + c * ldr);
      for (int r = 0; r < NR; ++r) acc[r][c] += x[r] * w;
    }
  };
  i64 t = 0;
  for (; t + L <= len; t += L) step(t, v + t, ldv);
  if (t < len) step(len - L, last, L);
  for (int r = 0; r < NR; ++r)
    for (int c = 0; c < NC; ++c) out.at(r, c) = lane_sum(acc[r][c]);
}

template <int NR, int NC, class T>
inline i64 dot_rows(i64 r, const T* a, i64 lda, i64 rows, i64 len, const double* v, i64 ldv, const double* last, const Strided& out) {
  for (; r + NR <= rows; r += NR)
    dot_tile<NR, NC>(a + r * lda, lda, len, v, ldv, last, Strided{&out.at(r, 0), out.row_step, out.rhs_step});
  return r;
}

template <int NC, class T>
inline void dot_strip(const T* a, i64 lda, i64 rows, i64 len, const double* v, i64 ldv, const Strided& out) {
  constexpr i64 L = lanes<double>;
  double last[NC * L];
  if (len >= L && len % L != 0)
    for (i64 c = 0; c < NC; ++c)
      for (i64 i = 0; i < L; ++i) last[c * L + i] = i < L - len % L ? 0.0 : v[c * ldv + len - L + i];
  i64 r = dot_rows<(NC == 1 ? 8 : 4), NC>(0, a, lda, rows, len, v, ldv, last, out);
  dot_rows<1, NC>(r, a, lda, rows, len, v, ldv, last, out);
}

template <class T>
void dots(const T* a, i64 lda, i64 rows, i64 len, i64 k, const double* v, i64 ldv, const Strided& out) {
  for_strips(k, [&](i64 c, auto width) {
    dot_strip<decltype(width)::value>(a, lda, rows, len, v + c * ldv, ldv, Strided{&out.at(0, c), out.row_step, out.rhs_step});
  });
}

template <int NV, int NC, class T>
EMPIRISK_INLINE void axpy_tile(const T* a, i64 lda, i64 rows, const Strided& u, double* g, i64 ldg) {
  constexpr i64 L = lanes<double>;
  Vec<double> acc[NC][NV];
  for (int c = 0; c < NC; ++c)
    for (int j = 0; j < NV; ++j) acc[c][j] = load(g + c * ldg + j * L);
  for (i64 r = 0; r < rows; ++r) {
    Vec<double> x[NV];
    for (int j = 0; j < NV; ++j) x[j] = load_double(a + r * lda + j * L);
    for (int c = 0; c < NC; ++c) {
      const Vec<double> m = fill(u.at(r, c));
      for (int j = 0; j < NV; ++j) acc[c][j] += x[j] * m;
    }
  }
  for (int c = 0; c < NC; ++c)
    for (int j = 0; j < NV; ++j) store(g + c * ldg + j * L, acc[c][j]);
}

template <int NC, class T>
inline void axpy_strip(const T* a, i64 lda, i64 rows, i64 len, const Strided& u, double* g, i64 ldg) {
  constexpr i64 L = lanes<double>;
  constexpr int NV = NC == 1 ? 7 : NC == 2 ? 6 : 5;
  i64 t = 0;
  for (; t + NV * L <= len; t += NV * L) axpy_tile<NV, NC>(a + t, lda, rows, u, g + t, ldg);
  for (; t + 2 * L <= len; t += 2 * L) axpy_tile<2, NC>(a + t, lda, rows, u, g + t, ldg);
  for (; t + L <= len; t += L) axpy_tile<1, NC>(a + t, lda, rows, u, g + t, ldg);
  if (t == len) return;
  if (len >= L) {  // one vector that ends with the row: only its new lanes are kept
    double sum[NC * L] = {};
    axpy_tile<1, NC>(a + len - L, lda, rows, u, sum, L);
    for (i64 c = 0; c < NC; ++c)
      for (i64 i = t; i < len; ++i) g[c * ldg + i] += sum[c * L + i - (len - L)];
    return;
  }
  for (i64 r = 0; r < rows; ++r)
    for (i64 c = 0; c < NC; ++c)
      for (i64 i = t; i < len; ++i) g[c * ldg + i] += double(a[r * lda + i]) * u.at(r, c);
}

template <class T>
void axpys(const T* a, i64 lda, i64 rows, i64 len, i64 k, const Strided& u, double* g, i64 ldg) {
  for_strips(k, [&](i64 c, auto width) {
    axpy_strip<decltype(width)::value>(a, lda, rows, len, Strided{&u.at(0, c), u.row_step, u.rhs_step}, g + c * ldg, ldg);
  });
}

}  // namespace empirisk::EMPIRISK_ISA
