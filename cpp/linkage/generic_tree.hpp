// Trees of linkages whose heights may fall (centroid, median): the closest pair of all is merged, again and again. Each cluster knows
// its nearest one, or a bound below which none is; a bound that is the least of all is made exact first (Muellner, arXiv:1109.2378,
// section 2.3, with bounds that the new cluster may lower).
#pragma once
#include "linkage/matrix_tree.hpp"

namespace empirisk::EMPIRISK_ISA {

// Centroids, one a slot and a lane.
class CentroidStore {
 public:
  CentroidStore(const LinkageProblem& p) : p_(p.cols), room_(round_up(p.rows, wide)), rows_(p.rows * p.cols), data_(room_ * p.cols) {
    std::memcpy(rows_.data(), p.x, sizeof(double) * std::size_t(p.rows * p.cols));
    for (i64 i = 0; i < room_; ++i) i < p.rows ? put(i) : hide(i);
  }

  i64 cost(i64 m) const { return m * most<i64>(p_, 8); }

  template <class Use>
  void distances(i64 i, i64 m, const Use& use) const {
    row_to_panels<Squares>(p_, rows_.data() + i * p_, data_.data(), 0, ceil_div(m, wide), [&](i64 k, const Lanes& d) { use(k * wide, d); });
  }

  void merge(i64 a, i64 b, i64, double share_a, double share_b) {
    double *to = rows_.data() + b * p_, *from = rows_.data() + a * p_;
    for (i64 d = 0; d < p_; ++d) to[d] = share_a * from[d] + share_b * to[d];
    put(b);
    hide(a);
  }

  void move(i64 to, i64 from) {
    for (i64 d = 0; d < p_; ++d) rows_[to * p_ + d] = rows_[from * p_ + d];
    put(to);
  }

  void end(i64 m) {
    for (i64 i = m; i < round_up(m, wide); ++i) hide(i);
  }

 private:
  double* lane(i64 i) const { return data_.data() + i / wide * wide * p_ + i % wide; }
  void put(i64 i) {
    for (i64 d = 0; d < p_; ++d) lane(i)[d * wide] = rows_[i * p_ + d];
  }
  void hide(i64 i) {
    for (i64 d = 0; d < p_; ++d) lane(i)[d * wide] = infinite;
  }

  i64 p_, room_;
  Buffer<double> rows_, data_;
};

// The square matrix of the squared distances of centroids.
class SquareStore {
 public:
  SquareStore(const LinkageProblem& p) : ld_(round_up(p.rows, wide)), data_(p.rows * ld_), row_(p.rows) {
    for (i64 i = 0; i < p.rows; ++i) {
      row_[i] = data_.data() + i * ld_;
      for (i64 j = 0; j < ld_; ++j) row_[i][j] = j < p.rows && j != i ? p.x[i * p.rows + j] * p.x[i * p.rows + j] : infinite;
    }
    rows_ = p.rows;
  }

  static double bytes(i64 n) { return 8.0 * double(n) * double(round_up(n, wide)); }
  i64 cost(i64 m) const { return 8 * m; }

  template <class Use>
  void distances(i64 i, i64 m, const Use& use) const {
    for (i64 j = 0; j < m; j += wide) use(j, load(row_[i] + j));
  }

  void merge(i64 a, i64 b, i64 m, double share_a, double share_b) {
    const double apart = share_a * share_b * row_[a][b];
    for (i64 j = 0; j < m; ++j) {
      if (j == a || j == b || row_[a][j] == infinite) continue;
      row_[b][j] = row_[j][b] = most(0.0, share_a * row_[a][j] + share_b * row_[b][j] - apart);
      row_[j][a] = infinite;
    }
    row_[b][a] = infinite;
    for (i64 j = 0; j < m; ++j) row_[a][j] = infinite;
  }

  // Moves rise: the old place of a row is never below its new one.
  void move(i64 to, i64 from) {
    if (to == from) return;
    double* keep = row_[to];
    row_[to] = row_[from];
    row_[from] = keep;
    for (i64 i = 0; i < rows_; ++i) row_[i][to] = row_[i][from];
  }

  void end(i64 m) {
    for (i64 i = 0; i < m; ++i)
      for (i64 j = m; j < round_up(m, wide); ++j) row_[i][j] = infinite;
    rows_ = m;
  }

 private:
  i64 ld_, rows_ = 0;
  Buffer<double> data_;
  Buffer<double*> row_;
};

template <class Store>
class GenericTree final : public Linker {
 public:
  explicit GenericTree(const LinkageProblem& problem)
      : log_{problem, this}, halves_(problem.link == Link::median), m_(problem.rows), left_(problem.rows), store_(problem), number_(m_),
        near_(m_), mass_(m_), distance_(round_up(m_, wide)), loose_(m_), alive_(m_) {
    for (i64 i = 0; i < m_; ++i) {
      number_[i] = i;
      mass_[i] = halves_ ? 1.0 : problem.weight[i];
      loose_[i] = alive_[i] = 1;
      distance_[i] = 0.0;
    }
    for (i64 i = m_; i < round_up(m_, wide); ++i) distance_[i] = infinite;
  }

  bool step(i64 work) override {
    if (begun_ < m_ && !started_) {
      const i64 chunk = 16, end = least(m_, begun_ + most<i64>(chunk, work / store_.cost(m_))), chunks = ceil_div(end - begun_, chunk);
      for_chunks(chunks, threads_for((end - begun_) * store_.cost(m_), chunks), [&](i64 c, int) {
        for (i64 i = begun_ + c * chunk; i < least(end, begun_ + (c + 1) * chunk); ++i) search(i);
      });
      for (i64 i = begun_; i < end; ++i)
        if (near_[i] < 0) log_.stop();
      begun_ = end;
      started_ = begun_ == m_;
      return left_ > 1;
    }
    for (i64 spent = 0; spent < work && left_ > 1 && !lost; spent += store_.cost(m_) + 4 * m_) {
      const i64 i = closest();
      if (i < 0) log_.stop();
      else if (loose_[i]) find(i);
      else merge(least(i, near_[i]), most(i, near_[i]), distance_[i]);
    }
    return left_ > 1;
  }

 private:
  void find(i64 i) {
    search(i);
    if (near_[i] < 0) log_.stop();
  }

  void search(i64 i) {
    Nearest best;
    store_.distances(i, m_, [&](i64 at, const Lanes& d) {
      if (!any_at_most(d, fill(best.distance))) return;
      for (i64 l = 0; l < wide && at + l < m_; ++l)
        if (at + l != i && alive_[at + l]) best.see(d[l], at + l);
    });
    near_[i] = best.slot;
    distance_[i] = best.distance;
    loose_[i] = 0;
  }

  // The cluster with the least distance: one that is a mere bound, else the pair of the smallest numbers.
  i64 closest() const {
    Lanes low = fill(infinite);
    for (i64 j = 0; j < m_; j += wide) low = smaller<double>(load(distance_.data() + j), low);
    double length = infinite;
    for (i64 l = 0; l < wide; ++l) length = low[l] < length ? low[l] : length;
    i64 best = -1;
    for (i64 j = 0; j < m_; ++j) {
      if (distance_[j] != length || !alive_[j]) continue;
      if (loose_[j]) return j;
      if (best < 0 || before(j, best)) best = j;
    }
    return best;
  }

  bool before(i64 i, i64 j) const {
    const i64 a = least(i, near_[i]), b = most(i, near_[i]), c = least(j, near_[j]), d = most(j, near_[j]);
    return a < c || (a == c && b < d);
  }

  void merge(i64 a, i64 b, double height) {
    log_(number_[a], number_[b], height);
    const double both = mass_[a] + mass_[b];
    store_.merge(a, b, m_, halves_ ? 0.5 : mass_[a] / both, halves_ ? 0.5 : mass_[b] / both);
    if (!halves_) mass_[b] = both;
    alive_[a] = 0;
    distance_[a] = infinite;
    if (--left_ == 1) return;
    for (i64 j = 0; j < m_; ++j) loose_[j] |= (near_[j] == a) | (near_[j] == b);
    Nearest best;
    store_.distances(b, m_, [&](i64 at, const Lanes& d) {
      if (any_at_most(d, fill(best.distance)))
        for (i64 l = 0; l < wide && at + l < m_; ++l)
          if (at + l != b && alive_[at + l]) best.see(d[l], at + l);
      if (!any_at_most(d, load(distance_.data() + at))) return;
      for (i64 l = 0; l < wide && at + l < m_; ++l) {
        const i64 j = at + l;
        if (j == b || !alive_[j]) continue;
        if (!(d[l] < distance_[j] || (d[l] == distance_[j] && !loose_[j] && b < near_[j]))) continue;
        near_[j] = b;
        distance_[j] = d[l];
        loose_[j] = 0;
      }
    });
    if (best.slot < 0) return log_.stop();
    near_[b] = best.slot;
    distance_[b] = best.distance;
    loose_[b] = 0;
    if (2 * left_ < m_) compact();
  }

  void compact() {
    Buffer<i64> moved(m_);
    i64 to = 0;
    for (i64 i = 0; i < m_; ++i) moved[i] = alive_[i] ? to++ : -1;
    for (i64 i = 0; i < m_; ++i) {
      const i64 s = moved[i];
      if (s < 0) continue;
      store_.move(s, i);
      number_[s] = number_[i];
      mass_[s] = mass_[i];
      distance_[s] = distance_[i];
      loose_[s] = loose_[i];
      near_[s] = moved[near_[i]];
      if (near_[s] < 0) near_[s] = s == 0 ? 1 : 0;  // gone: the distance is a mere bound, and is searched for before it is used
    }
    for (i64 s = 0; s < to; ++s) alive_[s] = 1;
    m_ = to;
    store_.end(m_);
    for (i64 i = m_; i < round_up(m_, wide); ++i) distance_[i] = infinite;
  }

  MergeLog log_;
  bool halves_, started_ = false;
  i64 m_, left_, begun_ = 0;
  Store store_;
  Buffer<i64> number_, near_;
  Buffer<double> mass_, distance_;
  Buffer<unsigned char> loose_, alive_;
};

}  // namespace empirisk::EMPIRISK_ISA
