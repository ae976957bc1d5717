// Sums over all pairs of rows of two clusters, for many clusters at once: a panel holds as many clusters as a vector has lanes, and one
// panel of rows for each member of the largest of them.
#pragma once
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

// The rows of each cluster, as lists; their centroid alone where the linkage is made of centroids.
struct Members {
  i64 n, p;
  Buffer<double> rows, weight;
  Buffer<i64> head, tail, size, next;  // of a slot, and the next row of the same cluster or -1

  Members(const LinkageProblem& problem, bool weighs)
      : n(problem.rows), p(problem.cols), rows(n * p), weight(n), head(n), tail(n), size(n), next(n) {
    std::memcpy(rows.data(), problem.x, sizeof(double) * std::size_t(n * p));
    for (i64 i = 0; i < n; ++i) {
      weight[i] = weighs ? problem.weight[i] : 1.0;
      head[i] = tail[i] = i;
      size[i] = 1;
      next[i] = -1;
    }
  }

  void append(i64 to, i64 from) {
    next[tail[to]] = head[from];
    tail[to] = tail[from];
    size[to] += size[from];
  }

  void scale(i64 slot, double factor) {
    for (i64 r = head[slot]; r >= 0; r = next[r]) weight[r] *= factor;
  }

  void centroid(i64 to, i64 from, double share_to, double share_from) {
    double *a = rows.data() + head[to] * p, *b = rows.data() + head[from] * p;
    for (i64 d = 0; d < p; ++d) a[d] = share_to * a[d] + share_from * b[d];
  }

  void move(i64 to, i64 from) {
    head[to] = head[from];
    tail[to] = tail[from];
    size[to] = size[from];
  }
};

struct SumJoin {
  static EMPIRISK_INLINE Lanes zero() { return fill(0.0); }
  static EMPIRISK_INLINE void join(Lanes& total, const Lanes& d, double mine, const double* its) { total += (fill(mine) * load(its)) * d; }
};

struct MaxJoin {
  static EMPIRISK_INLINE Lanes zero() { return fill(-infinite); }
  static EMPIRISK_INLINE void join(Lanes& total, const Lanes& d, double, const double*) { total = larger(d, total); }
};

class Panels {
 public:
  Panels(const Slots& slots, const Members& members)
      : p_(members.p), panels(ceil_div(slots.m, wide)), start(panels + 1), slot(panels * wide), mass(panels * wide), order_(slots.m) {
    sort_by_size(slots.m, members.size.data());
    start[0] = 0;
    for (i64 k = 0; k < panels; ++k) start[k + 1] = start[k] + members.size[order_[k * wide]];
    data_ = new Buffer<double>(start[panels] * p_ * wide);
    weight_ = new Buffer<double>(start[panels] * wide);
    for (i64 k = 0; k < panels; ++k) pack(slots, members, k);
  }
  ~Panels() {
    delete data_;
    delete weight_;
  }
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;

 private:
  i64 p_;

 public:
  i64 panels;
  Buffer<i64> start, slot;  // the first panel of rows of a panel; slots of the lanes, or -1
  Buffer<double> mass;
  double* rows(i64 t) const { return data_->data() + t * p_ * wide; }
  const double* weight(i64 t) const { return weight_->data() + t * wide; }

 private:
  void sort_by_size(i64 m, const i64* size) {
    i64 largest = 1;
    for (i64 i = 0; i < m; ++i) largest = most(largest, size[i]);
    Buffer<i64> count(largest + 2);
    for (i64 s = 0; s <= largest + 1; ++s) count[s] = 0;
    for (i64 i = 0; i < m; ++i) ++count[largest - size[i] + 1];
    for (i64 s = 0; s <= largest; ++s) count[s + 1] += count[s];
    for (i64 i = 0; i < m; ++i) order_[count[largest - size[i]]++] = i;
  }

  void pack(const Slots& slots, const Members& members, i64 k) {
    for (i64 l = 0; l < wide; ++l) {
      const i64 at = k * wide + l, s = at < slots.m ? order_[at] : -1;
      slot[at] = s;
      mass[at] = s < 0 ? 1.0 : slots.mass[s];
      i64 r = s < 0 ? -1 : members.head[s];
      for (i64 t = start[k]; t < start[k + 1]; ++t) {
        double* to = rows(t) + l;
        // Beyond its last row a cluster repeats its first one, without weight; lanes without a cluster are infinitely far.
        const i64 from = s < 0 ? -1 : r < 0 ? members.head[s] : r;
        for (i64 d = 0; d < p_; ++d) to[d * wide] = from < 0 ? infinite : members.rows[from * p_ + d];
        (*weight_)[t * wide + l] = s < 0 ? 1.0 : r < 0 ? 0.0 : members.weight[r];
        if (r >= 0) r = members.next[r];
      }
    }
  }

  Buffer<i64> order_;
  Buffer<double>*data_ = nullptr, *weight_ = nullptr;
};

// The sums of a few clusters with all: use(which of them, panel, S).
template <class Metric, class Join, class Use>
inline void scan_groups(const Panels& panels, const Members& members, const i64* slots, i64 count, const Use& use) {
  constexpr i64 tile = 8, room = 64;  // rows at once; more rows than room are passed over again
  const double* row[room];
  double weight[room];
  i64 owner[room];
  Lanes total[tile], out[tile];
  for (i64 k = 0; k < panels.panels; ++k) {
    for (i64 c = 0; c < count; ++c) total[c] = Join::zero();
    i64 c = 0, r = members.head[slots[0]];
    while (c < count) {
      i64 n = 0;
      while (n < room && c < count) {
        row[n] = members.rows.data() + r * members.p;
        weight[n] = members.weight[r];
        owner[n++] = c;
        r = members.next[r];
        if (r < 0 && ++c < count) r = members.head[slots[c]];
      }
      for (i64 t = panels.start[k]; t < panels.start[k + 1]; ++t) {
        const auto join = [&](i64 first, i64 m) {
          for (i64 i = 0; i < m; ++i) Join::join(total[owner[first + i]], out[i], weight[first + i], panels.weight(t));
        };
        i64 i = 0;
        for (; i + 8 <= n; i += 8) {
          distance_tile<Metric, 8, 1>(members.p, row + i, panels.rows(t), out);
          join(i, 8);
        }
        for (; i + 4 <= n; i += 4) {
          distance_tile<Metric, 4, 1>(members.p, row + i, panels.rows(t), out);
          join(i, 4);
        }
        for (; i < n; ++i) {
          distance_tile<Metric, 1, 1>(members.p, row + i, panels.rows(t), out);
          join(i, 1);
        }
      }
    }
    for (i64 i = 0; i < count; ++i) use(i, k, total[i]);
  }
}

}  // namespace empirisk::EMPIRISK_ISA
