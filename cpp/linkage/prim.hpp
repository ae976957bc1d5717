// The tree of single linkage is the shortest spanning tree, its edges by rising length: Prim's algorithm (Bell System Technical
// Journal 36, 1957; Rohlf, The Computer Journal 16, 1973) with one row of distances at a time, which is never kept. Edges of equal
// length are ordered by their row numbers, which makes the tree unique.
#pragma once
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

// The shortest edge that joins each row outside the tree to it.
class Fringe {
 public:
  explicit Fringe(i64 room) : limit(room), from(room) {
    for (i64 j = 0; j < room; ++j) {
      limit[j] = infinite;
      from[j] = infinite;
    }
  }

  Buffer<double> limit, from;  // length, and the row inside; places that are no more have the limit -infinity

  // Takes the edges of row u with `wide` places; `lowest` becomes the smallest limit.
  EMPIRISK_INLINE void relax(i64 at, const double* d, double u, Lanes& lowest) {
    double *limits = limit.data() + at, *rows = from.data() + at;
    alignas(64) double seen[wide];
    for (i64 l = 0; l < wide; ++l) {
      const double old = limits[l], v = d[l];
      const bool take = (v < old) | ((v == old) & (u < rows[l]));
      const double now = take ? v : old;
      limits[l] = now;
      rows[l] = take ? u : rows[l];
      seen[l] = now == -infinite ? infinite : now;
    }
    lowest = smaller<double>(load(seen), lowest);
  }

  // The place of the first of the shortest edges in the order of their rows; -1 where no row outside has an edge.
  i64 first_of(double length, i64 places, const i64* number) const {
    i64 best = -1, low = 0, high = 0;
    for (i64 j = 0; j < places; j += wide) {
      if (!any_at_most(fill(length), load(limit.data() + j))) continue;
      for (i64 k = j; k < j + wide; ++k) {
        if (limit[k] != length || from[k] == infinite) continue;
        const i64 u = i64(from[k]), v = number[k], a = least(u, v), b = most(u, v);
        if (best >= 0 && !(a < low || (a == low && b < high))) continue;
        best = k;
        low = a;
        high = b;
      }
    }
    return best;
  }
};

inline double lowest_lane(const Lanes& v) {
  double least_of = v[0];
  for (i64 l = 1; l < wide; ++l) least_of = v[l] < least_of ? v[l] : least_of;
  return least_of;
}

// Rows outside the tree lie in panels; the last one takes the place of one that joins the tree.
template <class Metric>
class PrimRows final : public Linker {
 public:
  explicit PrimRows(const LinkageProblem& problem)
      : p_(problem), log_{problem, this}, room_(round_up(problem.rows, wide)), data_(room_ * problem.cols), number_(room_), fringe_(room_),
        lowest_(ceil_div(room_, chunk) + 1) {
    left_ = p_.rows - 1;
    for (i64 i = 0; i < room_; ++i) {
      number_[i] = i < left_ ? i + 1 : -1;
      if (i < left_) put(i, p_.x + (i + 1) * p_.cols);
      else close(i);
    }
  }

  bool step(i64 work) override {
    for (i64 spent = 0; spent < work && left_ > 0; spent += (left_ + 64) * most<i64>(p_.cols, 8)) {
      const i64 panels = ceil_div(left_, wide), chunks = ceil_div(panels * wide, chunk);
      const int threads = threads_for(left_ * p_.cols / 4, chunks);
      if (threads > 1) for_chunks(chunks, threads, [&](i64 c, int) { lowest_[c] = relax(c, panels); });
      else for (i64 c = 0; c < chunks; ++c) lowest_[c] = relax(c, panels);
      double length = infinite;
      for (i64 c = 0; c < chunks; ++c) length = lowest_[c] < length ? lowest_[c] : length;
      const i64 at = fringe_.first_of(length, panels * wide, number_.data());
      if (at < 0) {
        log_.stop();
        return true;
      }
      log_(i64(fringe_.from[at]), number_[at], length);
      row_ = number_[at];
      take_out(at);
    }
    return left_ > 0;
  }

 private:
  static constexpr i64 chunk = 4096;

  double relax(i64 c, i64 panels) {
    Lanes lowest = fill(infinite);
    const i64 size = chunk / wide;
    row_to_panels<Metric>(p_.cols, p_.x + row_ * p_.cols, data_.data(), c * size, least(panels, (c + 1) * size), [&](i64 k, const Lanes& d) {
      alignas(64) double part[wide];
      store(part, d);
      fringe_.relax(k * wide, part, double(row_), lowest);
    });
    return lowest_lane(lowest);
  }

  void put(i64 at, const double* row) {
    double* to = data_.data() + at / wide * wide * p_.cols + at % wide;
    for (i64 d = 0; d < p_.cols; ++d) to[d * wide] = row[d];
  }

  void close(i64 at) {
    double* to = data_.data() + at / wide * wide * p_.cols + at % wide;
    for (i64 d = 0; d < p_.cols; ++d) to[d * wide] = 0.0;
    fringe_.limit[at] = -infinite;
  }

  void take_out(i64 at) {
    const i64 last = --left_;
    if (at != last) {
      put(at, p_.x + number_[last] * p_.cols);
      number_[at] = number_[last];
      fringe_.limit[at] = fringe_.limit[last];
      fringe_.from[at] = fringe_.from[last];
    }
    close(last);
  }

  LinkageProblem p_;
  MergeLog log_;
  i64 room_, left_ = 0, row_ = 0;
  Buffer<double> data_;
  Buffer<i64> number_;
  Fringe fringe_;
  Buffer<double> lowest_;
};

class PrimMatrix final : public Linker {
 public:
  explicit PrimMatrix(const LinkageProblem& problem)
      : p_(problem), log_{problem, this}, room_(round_up(problem.rows, wide)), number_(room_), fringe_(room_) {
    for (i64 i = 0; i < room_; ++i) {
      number_[i] = i;
      if (i >= p_.rows || i == 0) fringe_.limit[i] = -infinite;
    }
  }

  bool step(i64 work) override {
    for (i64 spent = 0; spent < work && merges < p_.rows - 1; spent += 8 * room_) {
      const double* row = p_.x + row_ * p_.rows;
      Lanes lowest = fill(infinite);
      i64 j = 0;
      for (; j + wide <= p_.rows; j += wide) fringe_.relax(j, row + j, double(row_), lowest);
      if (j < p_.rows) {
        alignas(64) double part[wide];
        for (i64 l = 0; l < wide; ++l) part[l] = j + l < p_.rows ? row[j + l] : infinite;
        fringe_.relax(j, part, double(row_), lowest);
      }
      const double length = lowest_lane(lowest);
      const i64 at = fringe_.first_of(length, room_, number_.data());
      if (at < 0) {
        log_.stop();
        return true;
      }
      log_(i64(fringe_.from[at]), at, length);
      fringe_.limit[at] = -infinite;
      row_ = at;
    }
    return merges < p_.rows - 1;
  }

 private:
  LinkageProblem p_;
  MergeLog log_;
  i64 room_, row_ = 0;
  Buffer<i64> number_;
  Fringe fringe_;
};

}  // namespace empirisk::EMPIRISK_ISA
