// Trees whose merges follow the edges of a graph: the closest pair of clusters with an edge between them is merged, again and again.
// Each cluster knows its nearest neighbour, or a bound below which none is; a tournament holds the least of all, and a mere bound is made
// exact before it is used. When no edge is left, all clusters are neighbours. A cluster's place is its largest row.
#pragma once
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

// Clusters as their centres, in memory for the rows alone.
class CentreStore {
 public:
  explicit CentreStore(const LinkageProblem& p) : p_(p.cols), inertia_(p.link == Link::ward), halves_(p.link == Link::median), rows_(p.rows * p.cols), mass_(p.rows) {
    std::memcpy(rows_.data(), p.x, sizeof(double) * std::size_t(p.rows * p.cols));
    for (i64 i = 0; i < p.rows; ++i) mass_[i] = p.weight[i];
  }

  double to(i64 i, i64 j) const {
    const double *x = rows_.data() + i * p_, *y = rows_.data() + j * p_;
    double part[4] = {0.0, 0.0, 0.0, 0.0};  // sums that do not wait for each other
    i64 d = 0;
    for (; d + 4 <= p_; d += 4)
      for (int l = 0; l < 4; ++l) part[l] += (x[d + l] - y[d + l]) * (x[d + l] - y[d + l]);
    for (; d < p_; ++d) part[0] += (x[d] - y[d]) * (x[d] - y[d]);
    const double square = (part[0] + part[1]) + (part[2] + part[3]);
    return inertia_ ? square * (2.0 * mass_[i] * mass_[j] / (mass_[i] + mass_[j])) : square;
  }

  void join(i64 a, i64 b, const i64*, i64) {
    const double both = mass_[a] + mass_[b], share = halves_ ? 0.5 : mass_[a] / both;
    double *x = rows_.data() + a * p_, *y = rows_.data() + b * p_;
    for (i64 d = 0; d < p_; ++d) y[d] = share * x[d] + (1.0 - share) * y[d];
    mass_[b] = both;
  }

  bool wide() const { return false; }
  i64 cost() const { return 4 + p_; }

 private:
  i64 p_;
  bool inertia_, halves_;
  Buffer<double> rows_, mass_;
};

// Clusters as the square matrix of what the recurrence of their linkage holds, which is changed in its place: the row of a new cluster is
// written, not its column, and of the two cells of a pair the one in the row that was written last counts.
class RecurrenceStore {
 public:
  explicit RecurrenceStore(const LinkageProblem& p) : n_(p.rows), link_(p.link), d_(p.distances), written_(p.rows), mass_(p.rows) {
    for (i64 i = 0; i < n_; ++i) {
      mass_[i] = p.weight[i];
      written_[i] = 0;
    }
  }

  double to(i64 i, i64 j) const { return written_[i] >= written_[j] ? d_[i * n_ + j] : d_[j * n_ + i]; }

  void join(i64 a, i64 b, const i64* alive, i64 count) {
    const double apart = to(a, b), x = mass_[a], y = mass_[b];
    for (i64 k = 0; k < count; ++k) {
      const i64 c = alive[k];
      if (c != a && c != b) d_[b * n_ + c] = both(x, y, mass_[c], to(a, c), to(b, c), apart);
    }
    mass_[b] = x + y;
    written_[b] = ++time_;
  }

  bool wide() const { return true; }  // all clusters that are left change their distance
  i64 cost() const { return 8; }

 private:
  double both(double a, double b, double c, double from, double to, double apart) const {
    switch (link_) {
      case Link::single: return least(from, to);
      case Link::complete: return most(from, to);
      case Link::average: return (a * from + b * to) / (a + b);
      case Link::weighted: return 0.5 * (from + to);
      case Link::ward: return most(0.0, ((a + c) * from + (b + c) * to - c * apart) / (a + b + c));
      case Link::centroid: return most(0.0, (a * from + b * to) / (a + b) - a * b / ((a + b) * (a + b)) * apart);
      default: return most(0.0, 0.5 * (from + to) - 0.25 * apart);
    }
  }

  i64 n_, time_ = 0;
  Link link_;
  double* d_;
  Buffer<i64> written_;
  Buffer<double> mass_;
};

// The clusters that each cluster has an edge with: chains of cells, which are joined in one step and cleared of copies when walked.
class Neighbours {
 public:
  explicit Neighbours(const LinkageProblem& p)
      : end_(p.starts[p.rows]), next_(p.starts[p.rows]), head_(p.rows), tail_(p.rows), up_(p.rows), seen_(p.rows) {
    for (i64 i = 0; i < p.rows; ++i) {
      up_[i] = i;
      head_[i] = tail_[i] = seen_[i] = -1;
      for (i64 e = p.starts[i]; e < p.starts[i + 1]; ++e) {
        end_[e] = p.ends[e];
        next_[e] = head_[i];
        if (head_[i] < 0) tail_[i] = e;
        head_[i] = e;
      }
    }
  }

  void join(i64 a, i64 b) {
    up_[a] = b;
    if (head_[a] < 0) return;
    if (head_[b] < 0) head_[b] = head_[a];
    else next_[tail_[b]] = head_[a];
    tail_[b] = tail_[a];
  }

  template <class Use>
  i64 each(i64 i, const Use& use) {
    ++walk_;
    i64 before = -1, steps = 0;
    for (i64 e = head_[i]; e >= 0; e = next_[e], ++steps) {
      const i64 j = end_[e] = root(end_[e]);
      if (j == i || seen_[j] == walk_) {
        (before < 0 ? head_[i] : next_[before]) = next_[e];
        continue;
      }
      seen_[j] = walk_;
      before = e;
      use(j);
    }
    tail_[i] = before;
    return steps;
  }

 private:
  i64 root(i64 i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }

  i64 walk_ = 0;
  Buffer<i64> end_, next_, head_, tail_, up_, seen_;
};

template <class Store>
class ConnectedTree final : public Linker {
 public:
  explicit ConnectedTree(const LinkageProblem& p)
      : log_{p, this}, n_(p.rows), leaves_(leaves_of(n_)), left_(n_), store_(p), graph_(p), near_(n_), alive_(n_), place_(n_), distance_(n_), loose_(n_), winner_(leaves_ * 2) {
    for (i64 i = 0; i < n_; ++i) {
      alive_[i] = place_[i] = i;
      loose_[i] = 1;
      distance_[i] = near_[i] = 0;  // below every distance
    }
    for (i64 i = 0; i < leaves_; ++i) winner_[leaves_ + i] = i < n_ ? i : -1;
    for (i64 k = leaves_ - 1; k > 0; --k) winner_[k] = better(winner_[2 * k], winner_[2 * k + 1]);
  }

  bool step(i64 work) override {
    for (i64 spent = 0; spent < work && left_ > 1;) {
      const i64 i = winner_[1];
      if (loose_[i]) spent += search(i);
      else if (distance_[i] < infinite) spent += merge(least(i, near_[i]), most(i, near_[i]), distance_[i]);
      else if (!free_) free();
      else spent += merge(least(alive_[0], alive_[1]), most(alive_[0], alive_[1]), infinite);  // distances that overflow
    }
    return left_ > 1;
  }

  i64 constrained() const override { return free_ ? constrained_ : merges; }

 private:
  static i64 leaves_of(i64 n) {
    i64 leaves = 1;
    while (leaves < n) leaves *= 2;
    return leaves;
  }

  // Of two clusters the one with the shorter distance; of equal ones a mere bound, else that of the pair with the smaller numbers.
  i64 better(i64 i, i64 j) const {
    if (i < 0 || j < 0) return i < 0 ? j : i;
    if (distance_[i] != distance_[j]) return distance_[i] < distance_[j] ? i : j;
    if (loose_[i] || loose_[j]) return loose_[i] ? i : j;
    const i64 a = least(i, near_[i]), b = most(i, near_[i]), c = least(j, near_[j]), d = most(j, near_[j]);
    return a < c || (a == c && b <= d) ? i : j;
  }

  void play(i64 i) {
    for (i64 k = (leaves_ + i) / 2; k > 0; k /= 2) winner_[k] = better(winner_[2 * k], winner_[2 * k + 1]);
  }

  template <class Use>
  i64 neighbours(i64 i, const Use& use) {
    if (!free_) return graph_.each(i, use);
    for (i64 k = 0; k < left_; ++k)
      if (alive_[k] != i) use(alive_[k]);
    return left_;
  }

  i64 search(i64 i) {
    Nearest best;
    const i64 steps = neighbours(i, [&](i64 j) { best.see(store_.to(i, j), j); });
    set(i, best);
    return 16 + steps * store_.cost();
  }

  void set(i64 i, const Nearest& best) {
    near_[i] = best.slot < 0 ? i : best.slot;
    distance_[i] = best.slot < 0 ? infinite : best.distance;
    loose_[i] = 0;
    play(i);
  }

  i64 merge(i64 a, i64 b, double height) {
    log_(a, b, height);
    store_.join(a, b, alive_.data(), left_);
    graph_.join(a, b);
    const i64 last = alive_[--left_];
    alive_[place_[a]] = last;
    place_[last] = place_[a];
    distance_[a] = infinite;
    near_[a] = a;
    loose_[a] = 0;
    play(a);
    Nearest best;
    const i64 steps = neighbours(b, [&](i64 c) {
      const double d = store_.to(b, c);
      best.see(d, c);
      if (d < distance_[c] || (d == distance_[c] && !loose_[c] && b <= near_[c])) {
        near_[c] = b;
        distance_[c] = d;
        loose_[c] = 0;
        play(c);
      } else if (!loose_[c] && (near_[c] == a || near_[c] == b)) {
        loose_[c] = 1;
        play(c);
      }
    });
    set(b, best);
    return 64 + steps * store_.cost() + (store_.wide() ? 4 * left_ : 0);
  }

  void free() {
    free_ = true;
    constrained_ = merges;
    for (i64 k = 0; k < left_; ++k) {
      loose_[alive_[k]] = 1;
      distance_[alive_[k]] = 0.0;
      play(alive_[k]);
    }
  }

  MergeLog log_;
  i64 n_, leaves_, left_, constrained_ = 0;
  bool free_ = false;
  Store store_;
  Neighbours graph_;
  Buffer<i64> near_, alive_, place_;
  Buffer<double> distance_;
  Buffer<unsigned char> loose_;
  Buffer<i64> winner_;
};

}  // namespace empirisk::EMPIRISK_ISA
