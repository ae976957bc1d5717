// RowPass over CSR (rows are gathered and scattered) and over CSC (the same two loops with their roles exchanged).
#pragma once
#include "loops/row_pass.hpp"
#include "support/parallel.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 sparse_block = 128;  // rows per call of f

// Chunks of about equal numbers of stored values. A chunk that scatters owns a buffer of `scatter` doubles that must be zeroed
// and merged: at most nnz/(8 scatter) of them, and few where the buffers are large. Depends on the matrix alone.
inline i64 count_chunks(i64 nnz, i64 major, i64 scatter) {
  i64 wanted = 64;
  if (scatter > 0) wanted = least<i64>(scatter > 8192 ? 8 : 64, most<i64>(2, nnz / (8 * scatter)));
  return most<i64>(1, least(wanted, ceil_div(major, sparse_block)));
}

template <class I>
i64 chunk_start(const I* indptr, i64 major, i64 chunks, i64 c) {
  if (c <= 0) return 0;
  if (c >= chunks) return major;
  const i64 first = i64(indptr[0]), target = first + (i64(indptr[major]) - first) / chunks * c;
  i64 low = 0, high = major;
  while (low < high) {
    const i64 mid = low + (high - low) / 2;
    if (i64(indptr[mid]) < target) low = mid + 1; else high = mid;
  }
  return low;
}

// out[0..k) = sum over the stored values of one row (column) of value * right[index, 0..k)
template <class T, class I>
EMPIRISK_INLINE void gather(const CompressedView<T, I>& x, i64 i, const double* right, i64 k, double* out) {
  const i64 begin = i64(x.indptr[i]), end = i64(x.indptr[i + 1]);
  if (k == 1) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    i64 t = begin;
    for (; t + 4 <= end; t += 4) {
      a += double(x.data[t]) * right[x.indices[t]];
      b += double(x.data[t + 1]) * right[x.indices[t + 1]];
      c += double(x.data[t + 2]) * right[x.indices[t + 2]];
      d += double(x.data[t + 3]) * right[x.indices[t + 3]];
    }
    for (; t < end; ++t) a += double(x.data[t]) * right[x.indices[t]];
    out[0] = (a + b) + (c + d);
    return;
  }
  for (i64 c = 0; c < k; ++c) out[c] = 0.0;
  for (i64 t = begin; t < end; ++t) {
    const double v = double(x.data[t]);
    const double* w = right + i64(x.indices[t]) * k;
    for (i64 c = 0; c < k; ++c) out[c] += v * w[c];
  }
}

// into[index, 0..k) += value * factor[0..k) for the stored values of one row (column)
template <class T, class I>
EMPIRISK_INLINE void scatter(const CompressedView<T, I>& x, i64 i, const double* factor, i64 k, double* EMPIRISK_RESTRICT into) {
  const i64 begin = i64(x.indptr[i]), end = i64(x.indptr[i + 1]);
  if (k == 1) {
    const double f = factor[0];
    for (i64 t = begin; t < end; ++t) into[x.indices[t]] += double(x.data[t]) * f;
    return;
  }
  for (i64 t = begin; t < end; ++t) {
    const double v = double(x.data[t]);
    double* w = into + i64(x.indices[t]) * k;
    for (i64 c = 0; c < k; ++c) w[c] += v * factor[c];
  }
}

inline void clear(double* x, i64 n) {
  for (i64 i = 0; i < n; ++i) x[i] = 0.0;
}

inline void add(double* EMPIRISK_RESTRICT to, const double* EMPIRISK_RESTRICT from, i64 n) {
  for (i64 i = 0; i < n; ++i) to[i] += from[i];
}

template <class T, class I>
void csr_pass(const CompressedView<T, I>& x, const RowPass& pass) {
  const i64 k = pass.k, size = x.minor * k, nnz = x.major > 0 ? i64(x.indptr[x.major]) - i64(x.indptr[0]) : 0;
  const i64 chunks = count_chunks(nnz, x.major, pass.grad ? x.minor : 0), n_sums = pass.f.n_sums;
  const int threads = threads_for(4 * nnz * k + x.major, chunks);
  const i64 slots = result_slots(chunks, threads, (pass.grad ? size : 0) + n_sums);
  const Buffer<double> scores(threads * 2 * sparse_block * k), grads(pass.grad ? slots * size : 0), sums(slots * n_sums);
  clear(pass.sums, n_sums);
  if (pass.grad) clear(pass.grad, size);
  for_chunks_merged(
      chunks, threads, slots,
      [&](i64 chunk, int thread, i64 slot) {
        double* z = scores.data() + thread * 2 * sparse_block * k;
        double* rows = z + sparse_block * k;  // the block row by row, z right-hand side by right-hand side
        double* grad = grads.data() + slot * size;
        if (pass.grad) clear(grad, size);
        clear(sums.data() + slot * n_sums, n_sums);
        const i64 end = chunk_start(x.indptr, x.major, chunks, chunk + 1);
        for (i64 first = chunk_start(x.indptr, x.major, chunks, chunk); first < end; first += sparse_block) {
          const i64 n = least(sparse_block, end - first);
          for (i64 i = 0; pass.w && i < n; ++i) {
            gather(x, first + i, pass.w, k, rows + i * k);
            for (i64 c = 0; c < k; ++c) z[c * sparse_block + i] = rows[i * k + c];
          }
          pass.f.call(pass.f.self, first, n, z, sparse_block, sums.data() + slot * n_sums);
          for (i64 i = 0; pass.grad && i < n; ++i) {
            for (i64 c = 0; c < k; ++c) rows[i * k + c] = z[c * sparse_block + i];
            scatter(x, first + i, rows + i * k, k, grad);
          }
        }
      },
      [&](i64 slot) {
        if (pass.grad) add(pass.grad, grads.data() + slot * size, size);
        add(pass.sums, sums.data() + slot * n_sums, n_sums);
      });
}

// Z = X W for CSC: columns are scattered into per-thread copies of Z (rows, k).
template <class T, class I>
void csc_scores(const CompressedView<T, I>& x, const RowPass& pass, double* z) {
  const i64 k = pass.k, size = x.minor * k, nnz = x.major > 0 ? i64(x.indptr[x.major]) - i64(x.indptr[0]) : 0;
  const i64 chunks = count_chunks(nnz, x.major, x.minor);
  const int threads = threads_for(4 * nnz * k, chunks);
  const i64 slots = result_slots(chunks, threads, size);
  const Buffer<double> parts(slots * size);
  clear(z, size);
  for_chunks_merged(
      chunks, threads, slots,
      [&](i64 chunk, int, i64 slot) {
        double* part = parts.data() + slot * size;
        clear(part, size);
        const i64 end = chunk_start(x.indptr, x.major, chunks, chunk + 1);
        for (i64 j = chunk_start(x.indptr, x.major, chunks, chunk); j < end; ++j) scatter(x, j, pass.w + j * k, k, part);
      },
      [&](i64 slot) { add(z, parts.data() + slot * size, size); });
}

template <class T, class I>
void csc_pass(const CompressedView<T, I>& x, const RowPass& pass) {
  const i64 k = pass.k, n = x.minor, nnz = x.major > 0 ? i64(x.indptr[x.major]) - i64(x.indptr[0]) : 0, n_sums = pass.f.n_sums;
  const Buffer<double> z(n * k);
  if (pass.w) csc_scores(x, pass, z.data());
  const i64 blocks = ceil_div(n, sparse_block), group = most<i64>(1, ceil_div(blocks, 64)), chunks = ceil_div(blocks, group);
  int threads = threads_for(16 * n * k, chunks);
  const i64 slots = result_slots(chunks, threads, n_sums);
  const Buffer<double> scores(threads * sparse_block * k), sums(slots * n_sums);
  clear(pass.sums, n_sums);
  for_chunks_merged(
      chunks, threads, slots,
      [&](i64 chunk, int thread, i64 slot) {
        double* block = scores.data() + thread * sparse_block * k;
        clear(sums.data() + slot * n_sums, n_sums);
        for (i64 b = chunk * group; b < least(blocks, (chunk + 1) * group); ++b) {
          const i64 first = b * sparse_block, rows = least(sparse_block, n - first);
          for (i64 i = 0; pass.w && i < rows; ++i)
            for (i64 c = 0; c < k; ++c) block[c * sparse_block + i] = z[(first + i) * k + c];
          pass.f.call(pass.f.self, first, rows, block, sparse_block, sums.data() + slot * n_sums);
          for (i64 i = 0; pass.grad && i < rows; ++i)
            for (i64 c = 0; c < k; ++c) z[(first + i) * k + c] = block[c * sparse_block + i];
        }
      },
      [&](i64 slot) { add(pass.sums, sums.data() + slot * n_sums, n_sums); });
  if (!pass.grad) return;
  const i64 parts = count_chunks(nnz, x.major, 0);
  threads = threads_for(4 * nnz * k, parts);
  for_chunks(parts, threads, [&](i64 chunk, int) {
    const i64 end = chunk_start(x.indptr, x.major, parts, chunk + 1);
    for (i64 j = chunk_start(x.indptr, x.major, parts, chunk); j < end; ++j) gather(x, j, z.data(), k, pass.grad + j * k);
  });
}

}  // namespace empirisk::EMPIRISK_ISA
