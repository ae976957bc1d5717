// Centres packed for products with rows, and what a row keeps of the scores that it has seen. With centres c and any point m,
//   ||x - c||^2 = ||x - m||^2 + 2 s,    s = ||c - m||^2/2 + m.(c - m) - x.(c - m),
// so that the nearest centre has the smallest score s. With m among the centres little is lost to cancellation, and rows are
// read where they lie: nothing of their size is copied.
#pragma once
#include <limits>

#include "support/simd.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

// The smallest lane.
template <class T>
EMPIRISK_INLINE T lane_min(const Vec<T>& v) {
  alignas(64) T part[lanes<T>];
  store(part, v);
  for (i64 half = lanes<T> / 2; half > 0; half /= 2)
    for (i64 l = 0; l < half; ++l) part[l] = part[l + half] < part[l] ? part[l + half] : part[l];
  return part[0];
}

#if defined(__GNUC__)
template <class T>
EMPIRISK_INLINE Vec<T> where_less(const Vec<T>& a, const Vec<T>& b, const Vec<T>& yes, const Vec<T>& no) { return a < b ? yes : no; }
template <class T>
EMPIRISK_INLINE Vec<T> where_equal(const Vec<T>& a, const Vec<T>& b, const Vec<T>& yes, const Vec<T>& no) { return a == b ? yes : no; }

#if EMPIRISK_VECTOR_BYTES == 64
template <class V>
EMPIRISK_INLINE V of_two(const V& a, const V& b) { return a < b ? a : b; }
EMPIRISK_INLINE double fold_four(const double __attribute__((vector_size(32))) & a) {
  const auto b = of_two(__builtin_shufflevector(a, a, 0, 1), __builtin_shufflevector(a, a, 2, 3));
  return b[0] < b[1] ? b[0] : b[1];
}
template <>
EMPIRISK_INLINE double lane_min(const Vec<double>& v) {
  const auto a = of_two(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7));
  const auto b = of_two(__builtin_shufflevector(a, a, 0, 1), __builtin_shufflevector(a, a, 2, 3));
  return b[0] < b[1] ? b[0] : b[1];
}
template <>
EMPIRISK_INLINE float lane_min(const Vec<float>& v) {
  const auto a = of_two(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
  const auto b = of_two(__builtin_shufflevector(a, a, 0, 1, 2, 3), __builtin_shufflevector(a, a, 4, 5, 6, 7));
  const auto c = of_two(b, __builtin_shufflevector(b, b, 2, 3, 0, 1));
  return c[0] < c[1] ? c[0] : c[1];
}
#endif
#else
template <class T>
Vec<T> where_less(const Vec<T>& a, const Vec<T>& b, const Vec<T>& yes, const Vec<T>& no) {
  Vec<T> v;
  for (i64 i = 0; i < lanes<T>; ++i) v[i] = a[i] < b[i] ? yes[i] : no[i];
  return v;
}
template <class T>
Vec<T> where_equal(const Vec<T>& a, const Vec<T>& b, const Vec<T>& yes, const Vec<T>& no) {
  Vec<T> v;
  for (i64 i = 0; i < lanes<T>; ++i) v[i] = a[i] == b[i] ? yes[i] : no[i];
  return v;
}
#endif

// Centres in panels of one vector, [column][centre of the panel]; `half` is the part of the score that does not depend on the row,
// infinite where there is no centre, `number` the number of each centre. `order` names the centre of each place, -1 for none.
template <class T>
struct Panels {
  i64 count, depth;
  Buffer<T> data, half, number;
  double longest = 0.0, highest = 0.0;  // the largest ||c - m|| and |half|

  Panels(const double* centers, i64 k, i64 p, const double* shift, const i64* order, i64 places)
      : count(ceil_div(places, lanes<T>)), depth(p), data(count * lanes<T> * p), half(count * lanes<T>), number(count * lanes<T>) {
    constexpr i64 L = lanes<T>;
    for (i64 place = 0; place < count * L; ++place) {
      const i64 c = place < places ? (order ? order[place] : place) : -1;
      T* to = data.data() + place / L * L * p + place % L;
      if (c < 0 || c >= k) {
        for (i64 d = 0; d < p; ++d) to[d * L] = T(0);
        half[place] = std::numeric_limits<T>::infinity();
        number[place] = T(k);
        continue;
      }
      double square = 0.0, cross = 0.0;
      for (i64 d = 0; d < p; ++d) {
        const double m = shift ? shift[d] : 0.0, v = centers[c * p + d] - m;
        to[d * L] = T(v);
        square += v * v;
        cross += m * v;
      }
      half[place] = T(square / 2 + cross);
      number[place] = T(c);
      longest = most(longest, square);
      highest = most(highest, double(half[place] < 0 ? -half[place] : half[place]));
    }
    longest = __builtin_sqrt(longest);
  }
  const T* panel(i64 k) const { return data.data() + k * lanes<T> * depth; }
};

// The smallest score of each lane, the number of its centre, and the second smallest.
template <class T>
struct Seen {
  Vec<T> best, number, second;
};

template <class T>
EMPIRISK_INLINE void forget(Seen<T>& s) {
  s.best = s.second = fill(std::numeric_limits<T>::infinity());
  s.number = fill(T(0));
}

template <bool with_second, class T>
EMPIRISK_INLINE void see(Seen<T>& s, const Vec<T>& score, const Vec<T>& number) {
  if constexpr (with_second) s.second = smaller<T>(where_less<T>(score, s.best, s.best, score), s.second);
  s.number = where_less<T>(score, s.best, number, s.number);
  s.best = smaller<T>(score, s.best);
}

// The centre of the smallest score, of equal ones that of the smallest number.
template <class T>
struct Winner {
  T score, second;
  i64 number;
};

template <bool with_second, class T>
EMPIRISK_INLINE Winner<T> winner(const Seen<T>& s) {
  const T least_score = lane_min<T>(s.best), far = std::numeric_limits<T>::infinity();
  const T number = lane_min<T>(where_equal<T>(s.best, fill(least_score), s.number, fill(far)));
  T second = far;
  if constexpr (with_second) {
    // In the lane of the winner its second counts, in all others their best.
    second = lane_min<T>(where_equal<T>(s.number, fill(number), s.second, s.best));
  }
  return {least_score, second, number < far ? i64(number) : 0};
}

// Rows and panels of a register tile: 8 x 3 accumulators of 32 registers, 4 x 3 of 16.
constexpr int near_rows = EMPIRISK_VECTOR_BYTES == 64 ? 8 : 4;
constexpr int near_panels = 3;

EMPIRISK_INLINE void prefetch(const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

// The scores of M rows for N panels. Tiles read M streams of memory at once, which are too many for the hardware to fetch ahead: the
// rows from `next` on, if any, are asked for here.
template <int N, bool with_second, class T>
inline void near_tile(const T* const* row, i64 depth, const Panels<T>& centers, i64 panel, const T* next, Seen<T>* seen) {
  constexpr int M = near_rows;
  constexpr i64 L = lanes<T>;
  Vec<T> sum[M][N];
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) sum[m][j] = fill(T(0));
  const T* right = centers.panel(panel);
  const i64 size = L * depth;
  const T* x[M];
  for (int m = 0; m < M; ++m) x[m] = row[m];
  const i64 ahead = next ? M : 0;
  if (!next) next = right;
  for (i64 d = 0; d < depth; ++d) {
    Vec<T> v[N];
    for (int j = 0; j < N; ++j) v[j] = load(right + j * size + d * L);
    prefetch(next + d * ahead);
    for (int m = 0; m < M; ++m) {
      const Vec<T> left = fill(x[m][d]);
      for (int j = 0; j < N; ++j) sum[m][j] += left * v[j];
    }
  }
  for (int j = 0; j < N; ++j) {
    const Vec<T> half = load(centers.half.data() + (panel + j) * L), number = load(centers.number.data() + (panel + j) * L);
    for (int m = 0; m < M; ++m) see<with_second, T>(seen[m], half - sum[m][j], number);
  }
}

// One CSR row for N panels.
template <int N, bool with_second, class T, class I>
inline void near_sparse(const T* data, const I* index, i64 cells, const Panels<T>& centers, i64 panel, Seen<T>& seen) {
  constexpr i64 L = lanes<T>;
  const T* right = centers.panel(panel);
  const i64 size = L * centers.depth;
  Vec<T> sum[N];
  for (int j = 0; j < N; ++j) sum[j] = fill(T(0));
  for (i64 c = 0; c < cells; ++c) {
    const Vec<T> left = fill(data[c]);
    for (int j = 0; j < N; ++j) sum[j] += left * load(right + j * size + i64(index[c]) * L);
  }
  for (int j = 0; j < N; ++j)
    see<with_second, T>(seen, load(centers.half.data() + (panel + j) * L) - sum[j], load(centers.number.data() + (panel + j) * L));
}

// use(panel, std::integral_constant<int, N>) for all panels from `begin` to `end`, in groups of three at most whose sizes differ by one.
template <class Use>
EMPIRISK_INLINE void for_panels(i64 begin, i64 end, const Use& use) {
  i64 groups = ceil_div(end - begin, i64(near_panels));
  for (i64 k = begin; groups > 0; --groups) {
    const i64 n = ceil_div(end - k, groups);
    switch (n) {
      case 3: use(k, std::integral_constant<int, 3>{}); break;
      case 2: use(k, std::integral_constant<int, 2>{}); break;
      default: use(k, std::integral_constant<int, 1>{});
    }
    k += n;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
