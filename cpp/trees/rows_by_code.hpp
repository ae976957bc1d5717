// The rows of a node in the order of their codes in one column, by a counting sort that keeps rows of one code in their order.
#pragma once
#include "trees/forest_data.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Row>
class RowsByCode {
 public:
  explicit RowsByCode(i64 most_rows) : sorted_(most_rows) {}

  // row(i): what is kept of entry i.
  template <class Entry, class Make>
  void collect(const Entry* e, i64 m, const u8* column, i64 stride, const Make& row) {
    for (i64 i = 0; i < m; ++i) {
      const int c = column[i64(e[i].row) * stride];
      ++size_[c];
      set_.add(c);
    }
    i64 at = 0;
    set_.each([&](int c) { first_[c] = at, at += size_[c]; });
    for (i64 i = 0; i < m; ++i) sorted_[first_[column[i64(e[i].row) * stride]]++] = row(i);
    set_.each([&](int c) { first_[c] -= size_[c]; });
  }
  void forget() {
    set_.each([&](int c) { size_[c] = 0; });
    set_.clear();
  }

  const CodeSet& present() const { return set_; }
  template <class F>
  void each(int c, const F& f) const {
    for (i64 i = first_[c]; i < first_[c] + size_[c]; ++i) f(sorted_[i]);
  }

 private:
  Buffer<Row> sorted_;
  i64 size_[256] = {}, first_[256] = {};
  CodeSet set_;
};

// Distinct rows of a tree, at most.
inline i64 most_rows(const ForestData& d) { return d.bag.draws > 0 ? least(d.n, d.bag.draws) : d.n; }

}  // namespace empirisk::EMPIRISK_ISA
