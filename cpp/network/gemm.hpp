// Products of blocks of row-major matrices through xGEMM, which reads column-major ones: each product is that of the transposes.
#pragma once
#include "network/network_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
struct Products {
  const NetworkTask& task;

  void call(char ta, char tb, i64 m, i64 n, i64 k, const T* a, i64 lda, const T* b, i64 ldb, T* c, i64 ldc) const {
    int im = int(m), in = int(n), ik = int(k), la = int(lda), lb = int(ldb), lc = int(ldc);
    T one = T(1), zero = T(0);
    if constexpr (sizeof(T) == 4)
      task.sgemm(&ta, &tb, &im, &in, &ik, &one, const_cast<T*>(a), &la, const_cast<T*>(b), &lb, &zero, c, &lc);
    else
      task.dgemm(&ta, &tb, &im, &in, &ik, &one, const_cast<T*>(a), &la, const_cast<T*>(b), &lb, &zero, c, &lc);
  }

  // c (rows, n) <- a (rows, k) b (k, n): columns [from, to) of c.
  void columns(i64 rows, i64 k, i64 n, const T* a, const T* b, T* c, i64 from, i64 to) const {
    call('N', 'N', to - from, rows, k, b + from, n, a, k, c + from, n);
  }

  // c (k, n) <- a' d with a (rows, k), d (rows, n): rows [from, to) of c.
  void outer(i64 rows, i64 k, i64 n, const T* a, const T* d, T* c, i64 from, i64 to) const {
    call('N', 'T', n, to - from, rows, d, n, a + from, k, c + from * n, n);
  }

  // c (rows, k) <- d b' with d (rows, n), b (k, n): columns [from, to) of c.
  void back(i64 rows, i64 k, i64 n, const T* d, const T* b, T* c, i64 from, i64 to) const {
    call('T', 'N', to - from, rows, n, b + from * n, n, d, n, c + from, k);
  }
};

// A width in at most four panels, by its size alone: the bits of a product do not depend on the number of threads.
struct Panels {
  i64 width, each;
  explicit Panels(i64 n) : width(n), each(most<i64>(64, round_up(ceil_div(n, 4), 8))) {}
  i64 count() const { return ceil_div(width, each); }
  i64 from(i64 c) const { return c * each; }
  i64 to(i64 c) const { return least(width, (c + 1) * each); }
};

}  // namespace empirisk::EMPIRISK_ISA
