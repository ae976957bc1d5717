// Sums over the columns of all pairs of rows of two matrices (products, absolute differences), tile by tile: one side is packed
// into panels of one vector of rows each, the other is broadcast. What a tile holds is used at once; no matrix of all pairs is
// stored here. Rows may be dense of any strides, or CSR; they are centred while they are packed.
#pragma once
#include <type_traits>

#include "support/parallel.hpp"
#include "support/view.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

// Rows and panels of a register tile: 8 x 3 accumulators of 32 registers, 4 x 3 of 16.
constexpr int pair_rows = EMPIRISK_VECTOR_BYTES == 64 ? 8 : 4;
constexpr int pair_panels = 3;
constexpr i64 pair_depth = 512;  // columns that are summed in the format of the rows, before a double takes over

struct Products {
  template <class V>
  static EMPIRISK_INLINE void add(V& sum, const V& a, const V& b) { sum += a * b; }
  template <class T>
  static EMPIRISK_INLINE void add_alone(T& sum, T a) { sum += a * a; }
};

struct AbsoluteDifferences {
  template <class V>
  static EMPIRISK_INLINE void add(V& sum, const V& a, const V& b) {
    const V d = a - b;
    sum += d > 0 ? d : -d;
  }
  template <class T>
  static EMPIRISK_INLINE void add_alone(T& sum, T a) { sum += a > 0 ? a : -a; }
};

// Some rows of a matrix: all of them, or those that `index` names.
struct SomeRows {
  Matrix matrix;
  const i64* index = nullptr;
  i64 count = 0;
  i64 row(i64 i) const { return index ? index[i] : i; }
};

template <class T>
struct PackedRows {
  i64 count, depth, width;  // width: rows of a panel
  Buffer<T> data;           // panel after panel: [column][row of the panel], zero beyond the last row
  Buffer<double> alone;     // what Op makes of a row alone: its squared norm, or the sum of its absolute values

  PackedRows(i64 n, i64 p, i64 w) : count(n), depth(p), width(w), data(round_up(n, w) * p), alone(round_up(most<i64>(n, 1), w)) {}
  const T* panel(i64 k) const { return data.data() + k * width * depth; }
};

template <class T, class F>
void for_each_cell(const SomeRows& rows, i64 i, const double* center, const F& f) {
  const Matrix& x = rows.matrix;
  const i64 r = rows.row(i);
  if (x.storage == Storage::dense) {
    const auto walk = [&](const auto* data) {
      const auto* from = data + r * x.row_stride;
      if (center) for (i64 d = 0; d < x.cols; ++d) f(d, T(double(from[d * x.col_stride]) - center[d]));
      else for (i64 d = 0; d < x.cols; ++d) f(d, T(from[d * x.col_stride]));
    };
    x.is_float32 ? walk(static_cast<const float*>(x.data)) : walk(static_cast<const double*>(x.data));
  } else {
    visit_compressed(x, [&](const auto& view) {
      for (i64 k = i64(view.indptr[r]); k < i64(view.indptr[r + 1]); ++k) f(i64(view.indices[k]), T(view.data[k]));
    });
  }
}

// The sum of a row alone, in the order and the roundings in which a tile sums the row with itself: equal rows cancel exactly.
template <class Op, class T>
double row_alone(const SomeRows& rows, i64 i, const double* center) {
  double total = 0.0;
  T sum = T(0);
  i64 end = pair_depth;
  for_each_cell<T>(rows, i, center, [&](i64 d, T v) {
    while (d >= end) {
      total += double(sum);
      sum = T(0);
      end += pair_depth;
    }
    Op::add_alone(sum, v);
  });
  return total + double(sum);
}

template <class Op, class T>
void pack_rows(const SomeRows& rows, i64 begin, i64 end, const double* center, PackedRows<T>& to) {
  const i64 w = to.width;
  for (i64 k = begin / w; k * w < end; ++k) {
    T* panel = to.data.data() + k * w * to.depth;
    const bool whole = rows.matrix.storage == Storage::dense && (k + 1) * w <= rows.count;
    if (!whole) for (i64 c = 0; c < w * to.depth; ++c) panel[c] = T(0);
    for (i64 l = 0; l < w; ++l) {
      const i64 i = k * w + l;
      to.alone[i] = 0.0;
      if (i >= rows.count) continue;
      for_each_cell<T>(rows, i, center, [&](i64 d, T v) { panel[d * w + l] = v; });
      to.alone[i] = row_alone<Op, T>(rows, i, center);
    }
  }
}

// All rows as panels of one vector each.
template <class Op, class T>
void pack_panels(const SomeRows& rows, const double* center, PackedRows<T>& to) {
  const i64 w = to.width, panels = ceil_div(rows.count, w), chunk = 16, chunks = ceil_div(panels, chunk);
  const int threads = threads_for(rows.count * to.depth * 4, chunks);
  for_chunks(chunks, threads, [&](i64 c, int) {
    pack_rows<Op>(rows, c * chunk * w, least(rows.count, (c + 1) * chunk * w), center, to);
  });
}

// out[m][l] (+)= sum over the columns [0, depth) of Op(row m, lane l of N panels); the first stretch of columns overwrites.
template <int N, class Op, class T>
inline void pair_tile(i64 depth, const T* rows, const T* panels, i64 panel_size, bool first, double* out) {
  constexpr int M = pair_rows;
  constexpr i64 L = lanes<T>, ld = pair_panels * L;
  Vec<T> sum[M][N];
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) sum[m][j] = fill(T(0));
  for (i64 d = 0; d < depth; ++d) {
    Vec<T> v[N];
    for (int j = 0; j < N; ++j) v[j] = load(panels + j * panel_size + d * L);
    for (int m = 0; m < M; ++m) {
      const Vec<T> x = fill(rows[d * M + m]);
      for (int j = 0; j < N; ++j) Op::add(sum[m][j], x, v[j]);
    }
  }
  for (int m = 0; m < M; ++m)
    for (int j = 0; j < N; ++j) {
      alignas(64) T part[L];
      store(part, sum[m][j]);
      double* to = out + m * ld + j * L;
      if (first) for (i64 l = 0; l < L; ++l) to[l] = double(part[l]);
      else for (i64 l = 0; l < L; ++l) to[l] += double(part[l]);
    }
}

// The broadcast side: some rows, packed M at a time.
template <class Op, class T>
class DenseRows {
 public:
  DenseRows(const SomeRows& rows, const double* center, i64 most_rows, i64 depth)
      : rows_(rows), center_(center), packed_(most_rows, depth, pair_rows) {}

  void take(i64 begin, i64 end) {
    const SomeRows part{rows_.matrix, rows_.index, end};
    start_ = begin;
    count_ = end - begin;
    const i64 w = pair_rows;
    for (i64 k = 0; k * w < count_; ++k) {
      T* panel = packed_.data.data() + k * w * packed_.depth;
      if ((k + 1) * w > count_ || rows_.matrix.storage != Storage::dense)
        for (i64 c = 0; c < w * packed_.depth; ++c) panel[c] = T(0);
      for (i64 l = 0; l < w && k * w + l < count_; ++l) {
        for_each_cell<T>(part, begin + k * w + l, center_, [&](i64 d, T v) { panel[d * w + l] = v; });
        packed_.alone[k * w + l] = row_alone<Op, T>(part, begin + k * w + l, center_);
      }
    }
  }

  double alone(i64 i) const { return packed_.alone[i]; }

  // Sums of the M rows from `first` on with `n` panels from `panel` on; out is (M, 3 vectors).
  void tile(i64 first, const PackedRows<T>& columns, i64 panel, i64 n, double* out) const {
    constexpr i64 L = lanes<T>;
    const i64 p = packed_.depth, size = L * p;
    if (p == 0) for (i64 c = 0; c < pair_rows * pair_panels * L; ++c) out[c] = 0.0;
    for (i64 d = 0; d < p; d += pair_depth) {
      const i64 depth = least(pair_depth, p - d);
      const T* left = packed_.panel(first / pair_rows) + d * pair_rows;
      const T* right = columns.panel(panel) + d * L;
      switch (n) {
        case 3: pair_tile<3, Op>(depth, left, right, size, d == 0, out); break;
        case 2: pair_tile<2, Op>(depth, left, right, size, d == 0, out); break;
        default: pair_tile<1, Op>(depth, left, right, size, d == 0, out);
      }
    }
  }

 private:
  SomeRows rows_;
  const double* center_;
  PackedRows<T> packed_;
  i64 start_ = 0, count_ = 0;
};

// CSR rows as they are: a stored cell meets one vector of each panel.
template <class T, class I>
class SparseRows {
 public:
  SparseRows(const SomeRows& rows, CompressedView<T, I> view, i64 most_rows) : rows_(rows), view_(view), alone_(most_rows) {}

  void take(i64 begin, i64 end) {
    start_ = begin;
    count_ = end - begin;
    for (i64 i = 0; i < count_; ++i) alone_[i] = row_alone<Products, T>(rows_, begin + i, nullptr);
  }

  double alone(i64 i) const { return alone_[i]; }

  void tile(i64 first, const PackedRows<T>& columns, i64 panel, i64 n, double* out) const {
    constexpr i64 L = lanes<T>;
    for (i64 c = 0; c < pair_rows * pair_panels * L; ++c) out[c] = 0.0;
    const T* right = columns.panel(panel);
    const i64 size = L * columns.depth;
    for (i64 m = 0; m < least<i64>(pair_rows, count_ - first); ++m) {
      const i64 r = rows_.row(start_ + first + m);
      double* to = out + m * pair_panels * L;
      switch (n) {
        case 3: row<3>(r, right, size, to); break;
        case 2: row<2>(r, right, size, to); break;
        default: row<1>(r, right, size, to);
      }
    }
  }

 private:
  template <int N>
  void row(i64 r, const T* right, i64 size, double* to) const {
    constexpr i64 L = lanes<T>;
    Vec<T> sum[N];
    for (int j = 0; j < N; ++j) sum[j] = fill(T(0));
    i64 end = pair_depth;
    const auto flush = [&] {
      for (int j = 0; j < N; ++j) {
        alignas(64) T part[L];
        store(part, sum[j]);
        for (i64 l = 0; l < L; ++l) to[j * L + l] += double(part[l]);
        sum[j] = fill(T(0));
      }
    };
    for (i64 k = i64(view_.indptr[r]); k < i64(view_.indptr[r + 1]); ++k) {
      const i64 d = i64(view_.indices[k]);
      if (d >= end) {
        flush();
        while (d >= end) end += pair_depth;
      }
      const Vec<T> x = fill(view_.data[k]);
      for (int j = 0; j < N; ++j) Products::add(sum[j], x, load(right + j * size + d * L));
    }
    flush();
  }

  SomeRows rows_;
  CompressedView<T, I> view_;
  Buffer<double> alone_;
  i64 start_ = 0, count_ = 0;
};

// Calls use(row, first_column, n_columns, sums, alone) for every row of a chunk and every group of panels, chunk by chunk over
// the threads. The rows of a chunk belong to one thread. Every chunk reads all columns once: where there are many rows, a chunk
// holds as many of them as a share of the second cache does.
constexpr i64 pair_chunk = 32;

inline i64 pair_chunk_of(i64 rows, i64 depth) {
  if (rows < 64 * pair_chunk) return pair_chunk;
  const i64 fit = (i64(1) << 17) / most<i64>(8 * depth, 1) / pair_chunk;
  return pair_chunk * least<i64>(most<i64>(fit, 1), 8);
}

template <class Rows, class T, class Use>
void walk_pairs(Rows& rows, i64 begin, i64 end, const PackedRows<T>& columns, const Use& use) {
  constexpr i64 L = lanes<T>, ld = pair_panels * L;
  alignas(64) double sums[pair_rows * ld];
  rows.take(begin, end);
  const i64 panels = ceil_div(columns.count, L);
  for (i64 k = 0; k < panels; k += pair_panels) {
    const i64 n = least<i64>(pair_panels, panels - k), width = least(columns.count - k * L, n * L);
    for (i64 i = 0; i < end - begin; i += pair_rows) {
      rows.tile(i, columns, k, n, sums);
      for (i64 m = 0; m < least<i64>(pair_rows, end - begin - i); ++m)
        use(begin + i + m, k * L, width, sums + m * ld, rows.alone(i + m));
    }
  }
}

// The same over all rows, on as many threads as pay, with use(thread, row, ...); done(begin, end, thread) ends a chunk.
template <class Op, class T, class Use, class Done>
void walk_all_pairs(const SomeRows& rows, const double* center, const PackedRows<T>& columns, const Use& use, const Done& done) {
  const i64 size = pair_chunk_of(rows.count, columns.depth), chunks = ceil_div(rows.count, size);
  const int threads = threads_for(rows.count * columns.count * most<i64>(columns.depth, 8), chunks);
  const bool sparse = std::is_same_v<Op, Products> && rows.matrix.storage == Storage::csr;
  const auto run = [&](auto make) {
    // One reader a thread, made before the threads start: memory that is missing is told here.
    using Reader = decltype(make());
    struct Readers {
      Buffer<Reader*> each;
      int count = 0;
      explicit Readers(int n) : each(n) {}
      ~Readers() { for (int i = 0; i < count; ++i) delete each[i]; }
    } readers(threads);
    for (; readers.count < threads; ++readers.count) readers.each[readers.count] = new Reader(make());
    for_chunks(chunks, threads, [&](i64 c, int thread) {
      const i64 begin = c * size, end = least(rows.count, begin + size);
      walk_pairs(*readers.each[thread], begin, end, columns, [&](i64 row, i64 first, i64 width, const double* sums, double alone) {
        use(thread, row, first, width, sums, alone);
      });
      done(begin, end, thread);
    });
  };
  if constexpr (std::is_same_v<Op, Products>) {
    if (sparse) {
      visit_compressed(rows.matrix, [&](const auto& view) {
        using S = std::remove_cvref_t<decltype(*view.data)>;
        using I = std::remove_cvref_t<decltype(*view.indices)>;
        if constexpr (std::is_same_v<S, T>) run([&] { return SparseRows<T, I>(rows, view, size); });
      });
      return;
    }
  }
  run([&] { return DenseRows<Op, T>(rows, center, size, columns.depth); });
}

}  // namespace empirisk::EMPIRISK_ISA
