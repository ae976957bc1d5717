// Bootstrap resampling in memory that does not depend on the number of resamples.
//
// Every resample has a random stream of its own, a function of (key, number of the resample): eight interleaved generators
// xoshiro256++ (Blackman and Vigna, 2021) whose states come from splitmix64. One step gives sixteen draws of 32 bits:
// the low and the high half of each of eight words. A draw u picks row floor(u m / 2^32) of a segment of m rows, whose
// probability differs from 1/m by less than 2^-32. Each segment starts on a new step. The same bits come out for any number
// of threads and for every instruction set: the sums are plain additions in an order that depends on the shape alone.
#pragma once
#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "loops/resample_table.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

using u64 = std::uint64_t;

EMPIRISK_INLINE u64 splitmix(u64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A vector that the processor has, of at most N numbers; one number for compilers without vector extensions.
#if defined(__GNUC__)
template <class T, i64 Bytes>
struct PartOf {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <class T>
struct PartOf<T, i64(sizeof(T))> {
  using type = T;
};
template <class T, i64 N>
using Part = typename PartOf<T, least<i64>(N * i64(sizeof(T)), EMPIRISK_VECTOR_BYTES)>::type;
#else
template <class T, i64 N>
using Part = T;
#endif

// N numbers side by side, on every instruction set.
template <class T, i64 N>
struct Pack {
  using P = Part<T, N>;
  static constexpr i64 parts = N * i64(sizeof(T)) / i64(sizeof(P));
  P v[parts];

  EMPIRISK_INLINE static Pack load(const T* p) {
    Pack x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  EMPIRISK_INLINE void store(T* p) const { std::memcpy(p, this, sizeof *this); }
  EMPIRISK_INLINE Pack& operator+=(const Pack& y) {
    for (i64 i = 0; i < parts; ++i) v[i] += y.v[i];
    return *this;
  }
};

using Words = Pack<u64, 8>;

// (32 bits of x) * m for m below 2^32: one instruction where there is one, which compilers do not find.
EMPIRISK_INLINE Words::P times(Words::P x, u64 m) {
#if defined(__AVX512F__)
  return (Words::P)_mm512_maskz_mul_epu32(__mmask8(-1), (__m512i)x, _mm512_set1_epi64(i64(m)));
#elif defined(__AVX2__)
  return (Words::P)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x(i64(m)));
#elif defined(__SSE2__)
  return (Words::P)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x(i64(m)));
#else
  return (x & 0xffffffffu) * m;
#endif
}

EMPIRISK_INLINE Words::P rotate_left(Words::P x, int k) { return (x << k) | (x >> (64 - k)); }

class DrawStream {
 public:
  static constexpr i64 width = 8, per_step = 2 * width;

  DrawStream() = default;
  DrawStream(u64 key, u64 resample) {
    constexpr u64 golden = 0x9e3779b97f4a7c15u;
    const u64 base = splitmix(key + golden * splitmix(resample + golden));
    u64 words[4 * width];
    for (i64 i = 0; i < 4 * width; ++i) words[i] = splitmix(base + golden * u64(i + 1));
    for (i64 word = 0; word < 4; ++word) state_[word] = Words::load(words + word * width);
  }

  // Row numbers in 0 .. rows - 1 for whole steps; out has room for steps * per_step.
  void fill(i64 steps, i64 rows, std::int32_t* EMPIRISK_RESTRICT out) {
    const u64 m = u64(rows);
    Words a = state_[0], b = state_[1], c = state_[2], d = state_[3], pairs;
    for (i64 k = 0; k < steps; ++k, out += per_step) {
      for (i64 i = 0; i < Words::parts; ++i) {
        const auto u = rotate_left(a.v[i] + d.v[i], 23) + a.v[i], t = b.v[i] << 17;
        c.v[i] ^= a.v[i], d.v[i] ^= b.v[i], b.v[i] ^= c.v[i], a.v[i] ^= d.v[i];
        c.v[i] ^= t, d.v[i] = rotate_left(d.v[i], 45);
        pairs.v[i] = (times(u, m) >> 32) | (times(u >> 32, m) & 0xffffffff00000000u);
      }
      std::memcpy(out, &pairs, sizeof pairs);
    }
    state_[0] = a, state_[1] = b, state_[2] = c, state_[3] = d;
  }

 private:
  Words state_[4];
};

// Calls use(rows drawn, how many) for the draws of one resample from segment s, in pieces that stay in the nearest cache.
template <class Use>
EMPIRISK_INLINE void draw_segment(const Segments& in, i64 s, i64 resample, DrawStream& stream, const Use& use) {
  constexpr i64 piece = 512;
  alignas(64) std::int32_t rows[piece];
  for (i64 left = in.draws[in.draws_stride * resample + s]; left > 0; left -= piece) {
    const i64 m = least(left, piece);
    stream.fill(ceil_div(m, DrawStream::per_step), in.starts[s + 1] - in.starts[s], rows);
    use(rows, m);
  }
}

// One column: eight partial sums.
EMPIRISK_INLINE void add_rows_1(const double* x, const std::int32_t* rows, i64 m, double* acc) {
  i64 i = 0;
  double a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3], a4 = acc[4], a5 = acc[5], a6 = acc[6], a7 = acc[7];
  for (; i + 8 <= m; i += 8) {
    a0 += x[rows[i]], a1 += x[rows[i + 1]], a2 += x[rows[i + 2]], a3 += x[rows[i + 3]];
    a4 += x[rows[i + 4]], a5 += x[rows[i + 5]], a6 += x[rows[i + 6]], a7 += x[rows[i + 7]];
  }
  acc[0] = a0, acc[1] = a1, acc[2] = a2, acc[3] = a3, acc[4] = a4, acc[5] = a5, acc[6] = a6, acc[7] = a7;
  for (i64 j = 0; i < m; ++i, ++j) acc[j] += x[rows[i]];
}

// W columns of a row-major table with `stride` columns: four partial sums a column, stored in acc as [sum][column].
template <i64 W>
EMPIRISK_INLINE void add_rows(const double* x, i64 stride, const std::int32_t* rows, i64 m, double* acc) {
  using Row = Pack<double, W>;
  Row sum[4];
  for (i64 k = 0; k < 4; ++k) sum[k] = Row::load(acc + k * W);
  i64 i = 0;
  for (; i + 4 <= m; i += 4)
    for (i64 k = 0; k < 4; ++k) sum[k] += Row::load(x + rows[i + k] * stride);
  for (; i < m; ++i) sum[0] += Row::load(x + rows[i] * stride);
  for (i64 k = 0; k < 4; ++k) sum[k].store(acc + k * W);
}

// Calls body(width, first column) on groups of columns that fill a register, then on halves of one.
template <i64 W, class Body>
EMPIRISK_INLINE void for_groups(i64 cols, i64 c, const Body& body) {
  for (; c + W <= cols; c += W) body([]() constexpr { return W; }, c);
  if constexpr (W > 1) for_groups<W / 2>(cols, c, body);
}

// The sums of one resample from its partial sums, in a fixed order.
inline void fold(const double* acc, i64 cols, double* to) {
  if (cols == 1) {
    to[0] = ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7]));
    return;
  }
  for_groups<lanes<double>>(cols, 0, [&](auto group, i64 c) {
    constexpr i64 w = group();
    for (i64 j = 0; j < w; ++j) {
      const double* part = acc + 4 * c + j;
      to[c + j] = (part[0] + part[w]) + (part[2 * w] + part[3 * w]);
    }
  });
}

constexpr i64 resample_chunk = 8;  // resamples that a thread takes at once

// body(first, one past the last, thread) for chunks of resamples.
template <class Body>
void for_resamples(i64 resamples, int threads, const Body& body) {
  for_chunks(ceil_div(resamples, resample_chunk), threads, [&](i64 chunk, int thread) {
    body(chunk * resample_chunk, least(resamples, (chunk + 1) * resample_chunk), thread);
  });
}

// out[b, c] = sum over the draws of resample b of x[row, c], for b < resamples and c < cols; x is row-major. The resamples of
// a chunk take turns on each segment, so that a table larger than the caches is read once for all of them.
inline void resample_sums(const double* x, i64 cols, const Segments& in, i64 resamples, double* out) {
  const i64 size = round_up(4 * most<i64>(cols, 2), 8);
  const int threads = threads_for(resamples * in.starts[in.count] * cols, ceil_div(resamples, resample_chunk));
  const Buffer<double> sums(threads * resample_chunk * size);
  for_resamples(resamples, threads, [&](i64 first, i64 end, int thread) {
    double* const acc = sums.data() + thread * resample_chunk * size;
    std::memset(acc, 0, sizeof(double) * std::size_t(resample_chunk * size));
    DrawStream streams[resample_chunk];
    for (i64 b = first; b < end; ++b) streams[b - first] = DrawStream(in.key, u64(in.first + b));
    for (i64 s = 0; s < in.count; ++s)
      for (i64 b = first; b < end; ++b) {
        const double* from = x + in.starts[s] * cols;
        double* mine = acc + (b - first) * size;
        draw_segment(in, s, b, streams[b - first], [&](const std::int32_t* rows, i64 m) {
          if (cols == 1) return add_rows_1(from, rows, m, mine);
          for_groups<lanes<double>>(cols, 0, [&](auto group, i64 c) {
            add_rows<group()>(from + c, cols, rows, m, mine + 4 * c);
          });
        });
      }
    for (i64 b = first; b < end; ++b) fold(acc + (b - first) * size, cols, out + b * cols);
  });
}

// out[b, i] = row number of draw i of resample b, the segments one after the other; `length` draws a resample.
inline void resample_rows(const Segments& in, i64 resamples, i64 length, std::int64_t* out) {
  const int threads = threads_for(resamples * length, ceil_div(resamples, resample_chunk));
  for_resamples(resamples, threads, [&](i64 first, i64 end, int) {
    for (i64 b = first; b < end; ++b) {
      DrawStream stream(in.key, u64(in.first + b));
      std::int64_t* to = out + b * length;
      for (i64 s = 0; s < in.count; ++s)
        draw_segment(in, s, b, stream, [&](const std::int32_t* rows, i64 m) {
          for (i64 i = 0; i < m; ++i) *to++ = in.starts[s] + rows[i];
        });
    }
  });
}

}  // namespace empirisk::EMPIRISK_ISA
