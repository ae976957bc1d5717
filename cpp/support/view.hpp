// Plain descriptions of the arrays that cross from bind/ into the loops: no templates, so that one function pointer per loop
// and instruction set is enough.
#pragma once
#include <cstdint>

namespace empirisk {

enum class Storage { dense, csr, csc };

// A matrix as NumPy or SciPy holds it. Dense: `data` with strides in elements. Sparse: `data`, `indices`, `indptr`.
struct Matrix {
  Storage storage = Storage::dense;
  bool is_float32 = false;
  bool is_index64 = false;
  std::int64_t rows = 0, cols = 0;
  const void* data = nullptr;
  std::int64_t row_stride = 0, col_stride = 0;
  const void* indices = nullptr;
  const void* indptr = nullptr;
};

template <class T>
struct DenseView {
  const T* data;
  std::int64_t rows, cols, row_stride, col_stride;
};

// Compressed by `major`: rows of a CSR matrix, columns of a CSC matrix.
template <class T, class I>
struct CompressedView {
  const T* data;
  const I* indices;
  const I* indptr;
  std::int64_t major, minor;
};

}  // namespace empirisk
