// Rows that are packed once and meet many others: what sequential minimal optimisation asks of a kernel.
#pragma once
#include "kernels/kernel_block.hpp"

namespace empirisk::EMPIRISK_ISA {

static void* pack_for_blocks(const KernelSpec& kernel, const KernelRows& b, const double* center) {
  void* out = nullptr;
  visit_pairs(kernel, b.matrix, [&](auto op, auto zero) {
    using T = decltype(zero);
    auto* packed = new PackedRows<T>(b.count, b.matrix.cols, lanes<T>);
    pack_panels<decltype(op)>(some_rows(b), center, *packed);
    out = packed;
  });
  return out;
}

static void release_packed(void* packed, bool single) {
  if (single) delete static_cast<PackedRows<float>*>(packed);
  else delete static_cast<PackedRows<double>*>(packed);
}

static void packed_block(const KernelSpec& kernel, const KernelRows& a, const void* packed, const double* center, float* const* out) {
  visit_pairs(kernel, a.matrix, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const auto& columns = *static_cast<const PackedRows<T>*>(packed);
    visit_form(kernel, [&](const auto& form) {
      walk_all_pairs<Op, T>(
          some_rows(a), center, columns,
          [&](int, i64 i, i64 first, i64 width, const double* sums, double alone) {
            apply_form(form, sums, alone, columns.alone.data() + first, width, out[i] + first);
          },
          [](i64, i64, int) {});
    });
  });
}

// The chunks of f depend on n alone, and every entry is one sum in the order of the rows.
static void add_rows(const float* const* rows, const double* steps, i64 n_rows, i64 n, double* f) {
  constexpr i64 chunk = 2048, L = lanes<double>;
  const i64 chunks = ceil_div(n, chunk);
  for_chunks(chunks, threads_for(n_rows * n * 2, chunks), [&](i64 c, int) {
    const i64 begin = c * chunk, end = least(n, begin + chunk);
    i64 k = 0;
    for (; k + 4 <= n_rows; k += 4) {  // four rows a pass over f
      const float *a = rows[k], *b = rows[k + 1], *e = rows[k + 2], *g = rows[k + 3];
      const Vec<double> sa = fill(steps[k]), sb = fill(steps[k + 1]), se = fill(steps[k + 2]), sg = fill(steps[k + 3]);
      i64 j = begin;
      for (; j + L <= end; j += L)
        store(f + j, load(f + j) + (sa * load_double(a + j) + sb * load_double(b + j)) + (se * load_double(e + j) + sg * load_double(g + j)));
      for (; j < end; ++j)
        f[j] += (steps[k] * double(a[j]) + steps[k + 1] * double(b[j])) + (steps[k + 2] * double(e[j]) + steps[k + 3] * double(g[j]));
    }
    for (; k < n_rows; ++k) {
      const float* a = rows[k];
      for (i64 j = begin; j < end; ++j) f[j] += steps[k] * double(a[j]);
    }
  });
}

static void gather(const float* const* rows, const i64* columns, i64 n, i64 stride, float* out) {
  constexpr i64 chunk = 32;
  const i64 chunks = ceil_div(n, chunk);
  for_chunks(chunks, threads_for(n * n * 16, chunks), [&](i64 c, int) {
    for (i64 k = c * chunk; k < least(n, (c + 1) * chunk); ++k) {
      const float* from = rows[k];
      float* to = out + k * stride;
      for (i64 l = 0; l < n; ++l) to[l] = from[columns[l]];
      for (i64 l = n; l < stride; ++l) to[l] = 0.0f;
    }
  });
}

}  // namespace empirisk::EMPIRISK_ISA
