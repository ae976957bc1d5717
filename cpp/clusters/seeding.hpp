// One step of k-means++ for several candidates at once: squared distances to all of them in one pass over the rows, by differences, so
// that a copy of a seed has distance 0. What the candidate that was taken before has changed is read from where it was written.
#pragma once
#include "clusters/cluster_table.hpp"
#include "clusters/rows.hpp"

namespace empirisk::EMPIRISK_ISA {

// The candidates: [panel][column][lane] in double or float, and their squared norms.
template <class T>
struct Candidates {
  i64 panels, depth;
  Buffer<T> data;
  Buffer<double> norm;

  template <class Rows>
  Candidates(const Rows& x, const i64* row, i64 count)
      : panels(ceil_div(count, lanes<T>)), depth(x.cols), data(panels * lanes<T> * depth), norm(panels * lanes<T>) {
    constexpr i64 L = lanes<T>;
    for (i64 c = 0; c < panels * L * depth; ++c) data[c] = T(0);
    for (i64 l = 0; l < panels * L; ++l) {
      norm[l] = 0.0;
      if (l >= count) continue;
      x.cells(row[l], [&](i64 d, double v) {
        data[l / L * L * depth + d * L + l % L] = T(v);
        norm[l] += v * v;
      });
    }
  }
};

// Squared distances of M rows to one panel. So many streams at once are too many for the hardware to fetch ahead: a cache line
// of the rows from `next` on is asked for with each column.
template <class T>
inline void seed_tile(const T* const* row, i64 depth, const T* panel, const T* next, T* out) {
  constexpr int M = near_rows;
  constexpr i64 L = lanes<T>;
  Vec<T> sum[M];
  const T* x[M];
  for (int m = 0; m < M; ++m) {
    sum[m] = fill(T(0));
    x[m] = row[m];
  }
  for (i64 d = 0; d < depth; ++d) {
    const Vec<T> c = load(panel + d * L);
    prefetch(next + d * i64(64 / sizeof(T)));
    for (int m = 0; m < M; ++m) {
      const Vec<T> v = fill(x[m][d]) - c;
      sum[m] += v * v;
    }
  }
  for (int m = 0; m < M; ++m) store(out + m * L, sum[m]);
}

// ||x_i - x_j||^2 of two CSR rows, by the cells of both in the order of their columns.
template <class Rows>
double sparse_square(const Rows& x, i64 i, i64 j) {
  const auto& v = x.view;
  i64 s = i64(v.indptr[i]), t = i64(v.indptr[j]);
  const i64 s_end = i64(v.indptr[i + 1]), t_end = i64(v.indptr[j + 1]);
  double sum = 0.0;
  while (s < s_end || t < t_end) {
    const i64 left = s < s_end ? i64(v.indices[s]) : x.cols, right = t < t_end ? i64(v.indices[t]) : x.cols;
    const double a = left <= right ? double(v.data[s++]) : 0.0, b = right <= left ? double(v.data[t++]) : 0.0;
    sum += (a - b) * (a - b);
  }
  return sum;
}

// The rows [begin, end) against all candidates: out is (rows, panels * lanes).
template <class Rows, class T>
void seed_squares(const Rows& x, const SeedProblem& p, const Candidates<T>& to, i64 begin, i64 end, T* out) {
  constexpr i64 L = lanes<T>;
  const i64 width = to.panels * L;
  if constexpr (Rows::sparse) {
    for (i64 i = begin; i < end; ++i)
      for (i64 l = 0; l < p.count; ++l) out[(i - begin) * width + l] = T(sparse_square(x, i, p.candidate[l]));
  } else {
    constexpr int M = near_rows;
    alignas(64) T part[M * L];
    for (i64 i = begin; i < end; i += M) {
      const T* at[M];
      for (int m = 0; m < M; ++m) at[m] = x.row(least(i + m, end - 1));
      for (i64 k = 0; k < to.panels; ++k) {
        seed_tile<T>(at, x.cols, to.data.data() + k * L * x.cols, x.row(least(i + 2 * M, x.rows - 1)), part);
        for (i64 m = 0; m < least<i64>(M, end - i); ++m) store(out + (i - begin + m) * width + k * L, load(part + m * L));
      }
    }
  }
}

template <class Rows>
void seed_rows(const Rows& x, const SeedProblem& p) {
  using T = typename Rows::Number;
  constexpr i64 block = 32;
  const Candidates<T> to(x, p.candidate, p.count);
  const i64 width = to.panels * lanes<T>, chunks = ceil_div(x.rows, seed_chunk);
  const int threads = threads_for(x.rows * most<i64>(x.cols, 8) * p.count, chunks);
  Buffer<T> squares(threads * block * width);
  for_chunks(chunks, threads, [&](i64 chunk, int thread) {
    T* fresh = squares.data() + thread * block * width;
    double* total = p.total + chunk * p.count;
    for (i64 l = 0; l < p.count; ++l) total[l] = 0.0;
    const i64 stop = least(x.rows, (chunk + 1) * seed_chunk);
    for (i64 begin = chunk * seed_chunk; begin < stop; begin += block) {
      const i64 end = least(stop, begin + block);
      seed_squares(x, p, to, begin, end, fresh);
      for (i64 i = begin; i < end; ++i) {
        T* kept = static_cast<T*>(p.square) + i * p.room;
        const T* now = fresh + (i - begin) * width;
        const T before = p.taken >= 0 ? kept[p.taken] : std::numeric_limits<T>::infinity();
        const double w = p.weight ? p.weight[i] : 1.0;
        for (i64 l = 0; l < p.count; ++l) {
          kept[l] = now[l] < before ? now[l] : before;
          total[l] += w * double(kept[l]);
        }
      }
    }
  });
}

static void seed_step(const SeedProblem& p) {
  visit_rows(p.x, [&](const auto& x) { seed_rows(x, p); });
}

}  // namespace empirisk::EMPIRISK_ISA
