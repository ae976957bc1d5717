// Blocks of a kernel matrix, and products with it that never store it.
#pragma once
#include "kernels/forms.hpp"
#include "support/row_tiles.hpp"

namespace empirisk::EMPIRISK_ISA {

inline SomeRows some_rows(const KernelRows& rows) { return {rows.matrix, rows.index, rows.count}; }

// Calls f(Op, T) with what a tile sums and the format in which it does.
template <class F>
void visit_pairs(const KernelSpec& kernel, const Matrix& x, const F& f) {
  const auto with = [&](auto zero) {
    if (kernel.absolute()) f(AbsoluteDifferences{}, zero);
    else f(Products{}, zero);
  };
  x.is_float32 ? with(float(0)) : with(double(0));
}

// `values` of a row of a tile: the form at every column.
template <class Form, class Out>
EMPIRISK_INLINE void apply_form(const Form& form, const double* sums, double row, const double* columns, i64 width, Out* out) {
  for (i64 l = 0; l < width; ++l) out[l] = Out(form(sums[l], row, columns[l]));
}

// sum_l a[l] b[l], in an order that depends on the width alone.
EMPIRISK_INLINE double fixed_sum_of_products(const double* a, const double* b, i64 width) {
  Vec<double> sum = fill(0.0);
  i64 l = 0;
  for (; l + lanes<double> <= width; l += lanes<double>) sum += load(a + l) * load(b + l);
  double total = lane_sum(sum);
  for (; l < width; ++l) total += a[l] * b[l];
  return total;
}

template <class Out>
void kernel_block_as(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, bool same, Out* out,
                     i64 stride) {
  visit_pairs(kernel, b.matrix, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    PackedRows<T> columns(b.count, b.matrix.cols, lanes<T>);
    pack_panels<Op>(some_rows(b), center, columns);
    visit_form(kernel, [&](const auto& form) {
      walk_all_pairs<Op, T>(
          some_rows(a), center, columns,
          [&](int, i64 i, i64 first, i64 width, const double* sums, double alone) {
            apply_form(form, sums, alone, columns.alone.data() + first, width, out + i * stride + first);
          },
          [](i64, i64, int) {});
    });
  });
  if (!same) return;
  for (i64 i = 0; i < a.count; ++i)
    for (i64 j = 0; j < i; ++j) out[i * stride + j] = out[j * stride + i];
}

static void kernel_block(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center, bool same,
                         bool out_float32, void* out, i64 stride) {
  if (out_float32) kernel_block_as(kernel, a, b, center, same, static_cast<float*>(out), stride);
  else kernel_block_as(kernel, a, b, center, same, static_cast<double*>(out), stride);
}

static void kernel_product(const KernelSpec& kernel, const KernelRows& a, const KernelRows& b, const double* center,
                           const double* weights, i64 n_columns, double* out) {
  constexpr i64 widest = pair_panels * lanes<float>;
  for (i64 i = 0; i < a.count * n_columns; ++i) out[i] = 0.0;
  visit_pairs(kernel, b.matrix, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    PackedRows<T> columns(b.count, b.matrix.cols, lanes<T>);
    pack_panels<Op>(some_rows(b), center, columns);
    visit_form(kernel, [&](const auto& form) {
      walk_all_pairs<Op, T>(
          some_rows(a), center, columns,
          [&](int, i64 i, i64 first, i64 width, const double* sums, double alone) {
            alignas(64) double values[widest];
            apply_form(form, sums, alone, columns.alone.data() + first, width, values);
            double* to = out + i * n_columns;
            if (n_columns == 1) {
              to[0] += fixed_sum_of_products(values, weights + first, width);
              return;
            }
            for (i64 l = 0; l < width; ++l)
              for (i64 c = 0; c < n_columns; ++c) to[c] += values[l] * weights[(first + l) * n_columns + c];
          },
          [](i64, i64, int) {});
    });
  });
}

}  // namespace empirisk::EMPIRISK_ISA
