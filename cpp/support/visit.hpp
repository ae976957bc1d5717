// From a type-erased Matrix to the typed views that the loops take.
#pragma once
#include "support/simd.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
DenseView<T> dense_view(const Matrix& x) {
  return {static_cast<const T*>(x.data), x.rows, x.cols, x.row_stride, x.col_stride};
}

// Calls f with the compressed view of x in its own value and index types.
template <class F>
void visit_compressed(const Matrix& x, F&& f) {
  const std::int64_t major = x.storage == Storage::csr ? x.rows : x.cols;
  const std::int64_t minor = x.storage == Storage::csr ? x.cols : x.rows;
  auto with = [&](auto value, auto index) {
    using T = decltype(value);
    using I = decltype(index);
    f(CompressedView<T, I>{static_cast<const T*>(x.data), static_cast<const I*>(x.indices),
                           static_cast<const I*>(x.indptr), major, minor});
  };
  if (x.is_float32) {
    x.is_index64 ? with(float{}, std::int64_t{}) : with(float{}, std::int32_t{});
  } else {
    x.is_index64 ? with(double{}, std::int64_t{}) : with(double{}, std::int32_t{});
  }
}

}  // namespace empirisk::EMPIRISK_ISA
