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
  constexpr int NR = NC == 1 ? 8 : EMPIRISK_VECTOR_BYTES == 64 ? 6 : 2;  // accumulators that fit 32 or 16 registers
  i64 r = dot_rows<NR, NC>(0, a, lda, rows, len, v, ldv, last, out);
  dot_rows<1, NC>(r, a, lda, rows, len, v, ldv, last, out);
}

template <class T>
void dots(const T* a, i64 lda, i64 rows, i64 len, i64 k, const double* v, i64 ldv, const Strided& out) {
  for_strips(k, [&](i64 c, auto width) {
    dot_strip<decltype(width)::value>(a, lda, rows, len, v + c * ldv, ldv, Strided{&out.at(0, c), out.row_step, out.rhs_step});
  });
}

// NV vectors of NC right-hand sides. The last vector starts at `last`; when it overlaps the one before, only its `fresh`
// last lanes are new and only they are kept.
template <int NV, int NC, class T>
inline void axpy_tile(const T* a, i64 lda, i64 rows, const Strided& u, double* g, i64 ldg, i64 last, i64 fresh) {
  constexpr i64 L = lanes<double>;
  const auto at = [last](int j) { return j == NV - 1 ? last : j * L; };
  Vec<double> acc[NC][NV];
  for (int c = 0; c < NC; ++c)
    for (int j = 0; j < NV; ++j) acc[c][j] = j == NV - 1 && fresh < L ? fill(0.0) : load(g + c * ldg + at(j));
  for (i64 r = 0; r < rows; ++r) {
    Vec<double> x[NV];
    for (int j = 0; j < NV; ++j) x[j] = load_double(a + r * lda + at(j));
    for (int c = 0; c < NC; ++c) {
      const Vec<double> m = fill(u.at(r, c));
      for (int j = 0; j < NV; ++j) acc[c][j] += x[j] * m;
    }
  }
  for (int c = 0; c < NC; ++c) {
    for (int j = 0; j < NV - 1; ++j) store(g + c * ldg + j * L, acc[c][j]);
    if (fresh == L) {
      store(g + c * ldg + last, acc[c][NV - 1]);
      continue;
    }
    alignas(64) double sum[L];
    store(sum, acc[c][NV - 1]);
    for (i64 i = L - fresh; i < L; ++i) g[c * ldg + last + i] += sum[i];
  }
}

template <int NC>
constexpr int axpy_vectors = EMPIRISK_VECTOR_BYTES == 64 ? (NC == 1 ? 8 : NC == 2 ? 6 : 5) : (NC == 1 ? 6 : NC == 2 ? 4 : 6 - NC);

template <int NC, class T>
inline void axpy_strip(const T* a, i64 lda, i64 rows, i64 len, const Strided& u, double* g, i64 ldg) {
  constexpr i64 L = lanes<double>;
  constexpr int most_vectors = axpy_vectors<NC>;
  if (len < L) {
    for (i64 r = 0; r < rows; ++r)
      for (i64 c = 0; c < NC; ++c)
        for (i64 i = 0; i < len; ++i) g[c * ldg + i] += double(a[r * lda + i]) * u.at(r, c);
    return;
  }
  for (i64 t = 0; t < len; t += most_vectors * L) {
    const i64 left = len - t, vectors = least<i64>(most_vectors, ceil_div(left, L));
    const i64 last = least((vectors - 1) * L, left - L), fresh = L - ((vectors - 1) * L - last);
    const auto tile = [&](auto count) {
      axpy_tile<decltype(count)::value, NC>(a + t, lda, rows, u, g + t, ldg, last, fresh);
    };
    switch (vectors) {
      case 1: tile(std::integral_constant<int, 1>{}); break;
      case 2: tile(std::integral_constant<int, 2>{}); break;
      case 3: tile(std::integral_constant<int, least(3, most_vectors)>{}); break;
      case 4: tile(std::integral_constant<int, least(4, most_vectors)>{}); break;
      case 5: tile(std::integral_constant<int, least(5, most_vectors)>{}); break;
      case 6: tile(std::integral_constant<int, least(6, most_vectors)>{}); break;
      case 7: tile(std::integral_constant<int, least(7, most_vectors)>{}); break;
      default: tile(std::integral_constant<int, least(8, most_vectors)>{});
    }
  }
}

template <class T>
void axpys(const T* a, i64 lda, i64 rows, i64 len, i64 k, const Strided& u, double* g, i64 ldg) {
  for_strips(k, [&](i64 c, auto width) {
    axpy_strip<decltype(width)::value>(a, lda, rows, len, Strided{&u.at(0, c), u.row_step, u.rhs_step}, g + c * ldg, ldg);
  });
}

}  // namespace empirisk::EMPIRISK_ISA
