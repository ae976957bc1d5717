// Trees from the square matrix of what two clusters have: the sum of the distances of their rows, the largest of them, or the squared
// distance of their centroids. Rows are scanned and merged as they lie in memory; rounds as those of vector_tree.hpp, and a chain of
// nearest neighbours where a round would merge few pairs, so that all is done in O(n^2).
#pragma once
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

struct MaxForm : AsItIs {
  static constexpr bool squares = false;
  static double mass(double, double) { return 1.0; }
  struct Two {
    Two(double, double, double) {}
    EMPIRISK_INLINE double operator()(double x, double y) const { return x > y ? x : y; }
  };
};

struct SumForm : PerPair {
  static constexpr bool squares = false;
  static double mass(double a, double b) { return a + b; }
  struct Two {
    Two(double, double, double) {}
    EMPIRISK_INLINE double operator()(double x, double y) const { return x + y; }
  };
};

struct HalfForm : AsItIs {
  static constexpr bool squares = false;
  static double mass(double, double) { return 1.0; }
  struct Two {
    Two(double, double, double) {}
    EMPIRISK_INLINE double operator()(double x, double y) const { return 0.5 * (x + y); }
  };
};

// Squared distances of centroids: |c - (ax + by)|^2 = a |c - x|^2 + b |c - y|^2 - ab |x - y|^2 for a + b = 1.
struct CentroidForm : Inertia {
  static constexpr bool squares = true;
  static double mass(double a, double b) { return a + b; }
  struct Two {
    double a, b, c;
    Two(double x, double y, double apart) : a(x / (x + y)), b(y / (x + y)), c(a * b * apart) {}
    EMPIRISK_INLINE double operator()(double x, double y) const { return most(0.0, a * x + b * y - c); }
  };
};

template <class Form>
class MatrixTree {
 public:
  static double bytes(i64 m) { return 8.0 * double(m) * double(round_up(m, wide)); }

  // Takes the slots over; row(i) is to be filled, and then begin() called.
  explicit MatrixTree(const Slots& from) : MatrixTree(from.m) {
    for (i64 i = 0; i < slots_.m; ++i) {
      slots_.number[i] = from.number[i];
      slots_.mass[i] = from.mass[i];
      slots_.level[i] = from.level[i];
    }
    allocate(slots_.m);
    foreign_ = false;
  }

  // Reads the distances of n rows where they are, until a first round has left fewer.
  MatrixTree(const double* given, i64 n) : MatrixTree(n) {
    for (i64 i = 0; i < n; ++i) row_[i] = const_cast<double*>(given) + i * n;
    foreign_ = true;
  }

  ~MatrixTree() {
    delete store_;
    delete[] alive_;
  }
  MatrixTree(const MatrixTree&) = delete;
  MatrixTree& operator=(const MatrixTree&) = delete;

  Slots& slots() { return slots_; }
  double* row(i64 i) const { return row_[i]; }

  // Both triangles hold what the upper one has, so that the order of a sum is the same for both clusters.
  void begin() {
    constexpr i64 tile = 32;
    const i64 m = slots_.m, tiles = ceil_div(m, tile);
    for_chunks(tiles, threads_for(m * m, tiles), [&](i64 c, int) {
      for (i64 b = 0; b <= c; ++b)
        for (i64 i = c * tile; i < least(m, (c + 1) * tile); ++i)
          for (i64 j = b * tile; j < least(i, (b + 1) * tile); ++j) row_[i][j] = row_[j][i];
    });
  }

  double wants() const { return phase_ == Phase::merge && foreign_ ? bytes(few_ ? slots_.m : slots_.after) : 0.0; }

  template <class Log>
  bool step(i64 work, const Log& log) {
    if (phase_ == Phase::search) search(log);
    else if (phase_ == Phase::merge) merge(log);
    else chain(work, log);
    return slots_.m > 1;
  }

 private:
  enum class Phase { search, merge, chain };

  explicit MatrixTree(i64 n) : slots_(n), row_(n), list_(n), chain_(n), apart_(n) {}

  void allocate(i64 m) {
    stride_ = round_up(m, wide);
    store_ = new Buffer<double>(m * stride_);
    for (i64 i = 0; i < m; ++i) row_[i] = store_->data() + i * stride_;
  }

  EMPIRISK_INLINE double cell(double x) const { return Form::squares && foreign_ ? x * x : x; }

  Nearest nearest_of(i64 i) const {
    const double* row = row_[i];
    const double mine = slots_.mass[i];
    Nearest best;
    i64 j = 0;
    for (; j + wide <= slots_.m; j += wide) {
      Lanes v = load(row + j);
      if (Form::squares && foreign_) v = v * v;
      if (!Form::may(v, mine, load(slots_.mass.data() + j), best.distance)) continue;
      for (i64 l = 0; l < wide; ++l)
        if (j + l != i) best.see(Form::exact(v[l], mine, slots_.mass[j + l]), j + l);
    }
    for (; j < slots_.m; ++j)
      if (j != i) best.see(Form::exact(cell(row[j]), mine, slots_.mass[j]), j);
    return best;
  }

  template <class Log>
  void search(const Log& log) {
    const i64 count = slots_.first_in_need(list_.data()), chunk = 16, chunks = ceil_div(count, chunk);
    for_chunks(chunks, threads_for(count * slots_.m, chunks), [&](i64 c, int) {
      for (i64 k = c * chunk; k < least(count, (c + 1) * chunk); ++k) {
        const Nearest best = nearest_of(list_[k]);
        slots_.distance[list_[k]] = best.distance;
        slots_.near[list_[k]] = best.slot;
      }
    });
    if (!slots_.find_pairs()) return log.stop();
    few_ = slots_.pairs * few_pairs < slots_.m;
    phase_ = Phase::merge;
  }

  // Each row that stays is joined with that of its partner, then within itself, and moves to the front of its own place.
  template <class Log>
  void merge(const Log& log) {
    if (few_) return begin_chain();
    const i64 m = slots_.m, after = slots_.after;
    for (i64 k = 0; k < slots_.pairs; ++k) {
      const i64 s = slots_.pair[k];
      apart_[s] = cell(row_[slots_.kept[s]][slots_.partner[s]]);
    }
    Buffer<double*> source(m);
    for (i64 i = 0; i < m; ++i) source[i] = row_[i];
    if (foreign_) allocate(after);
    else
      for (i64 s = 0; s < after; ++s) row_[s] = source[slots_.kept[s]];
    const i64 chunk = 8, chunks = ceil_div(after, chunk);
    const int threads = threads_for(m * m, chunks);
    Buffer<double> rooms(threads * round_up(m, wide));
    for_chunks(chunks, threads, [&](i64 c, int thread) {
      double* room = rooms.data() + thread * round_up(m, wide);
      for (i64 s = c * chunk; s < least(after, (c + 1) * chunk); ++s) merge_row(s, source.data(), room);
    });
    // Where both clusters are new, the sum of four was made in two orders: that of the smaller slot counts.
    for_chunks(ceil_div(slots_.pairs, chunk), threads_for(slots_.pairs * slots_.pairs * 8, ceil_div(slots_.pairs, chunk)), [&](i64 c, int) {
      for (i64 k = c * chunk; k < least(slots_.pairs, (c + 1) * chunk); ++k)
        for (i64 h = 0; h < k; ++h) row_[slots_.pair[k]][slots_.pair[h]] = row_[slots_.pair[h]][slots_.pair[k]];
    });
    foreign_ = false;
    for (i64 k = 0; k < slots_.pairs; ++k) {
      const i64 s = slots_.pair[k], b = slots_.kept[s], a = slots_.partner[s];
      slots_.mass[b] = Form::mass(slots_.mass[b], slots_.mass[a]);
    }
    slots_.finish_round(log);
    phase_ = Phase::search;
  }

  typename Form::Two two(i64 s) const { return {slots_.mass[slots_.kept[s]], slots_.mass[slots_.partner[s]], apart_[s]}; }

  void merge_row(i64 s, double* const* source, double* room) {
    const i64 m = slots_.m, b = slots_.kept[s], a = slots_.partner[s];
    const double* left = source[b];
    for (i64 j = 0; j < m; ++j) room[j] = cell(left[j]);
    room[b] = infinite;
    if (a >= 0) {
      const auto join = two(s);
      const double* right = source[a];
      for (i64 j = 0; j < m; ++j) room[j] = join(room[j], cell(right[j]));
      room[a] = room[b] = infinite;
    }
    for (i64 k = 0; k < slots_.pairs; ++k) {
      const i64 t = slots_.pair[k], j = slots_.kept[t];
      if (t != s) room[j] = two(t)(room[j], room[slots_.partner[t]]);
    }
    double* to = row_[s];
    for (i64 t = 0; t < slots_.after; ++t) to[t] = room[slots_.kept[t]];
  }

  void begin_chain() {
    if (foreign_) {
      Buffer<double*> source(slots_.m);
      for (i64 i = 0; i < slots_.m; ++i) source[i] = row_[i];
      allocate(slots_.m);
      for (i64 i = 0; i < slots_.m; ++i)
        for (i64 j = 0; j < slots_.m; ++j) row_[i][j] = cell(source[i][j]);
      foreign_ = false;
    }
    begin();  // a chain ends where both rows of a pair say the same, and given distances may differ by rounding
    alive_ = new unsigned char[std::size_t(slots_.m)];
    for (i64 i = 0; i < slots_.m; ++i) alive_[i] = 1;
    left_ = slots_.m;
    phase_ = Phase::chain;
  }

  template <class Log>
  void chain(i64 work, const Log& log) {
    for (i64 spent = 0; spent < work && slots_.m > 1; spent += 8 * slots_.m) {
      if (chain_.empty()) {
        while (!alive_[first_]) ++first_;
        chain_.begin(first_);
      }
      const Nearest best = nearest_of(chain_.top());
      if (best.slot < 0 || !alive_[best.slot] || chain_.full()) return log.stop();
      i64 a, b;
      double height;
      if (!chain_.take(best, a, b, height)) continue;
      const double h = most(most(slots_.level[a], slots_.level[b]), height);
      log(slots_.number[a], slots_.number[b], h);
      slots_.level[b] = h;
      join(a, b);
    }
  }

  // Slots that are gone stay in the rows as infinitely far ones, until half of them are gone.
  void join(i64 a, i64 b) {
    const typename Form::Two both(slots_.mass[b], slots_.mass[a], row_[b][a]);
    for (i64 j = 0; j < slots_.m; ++j) {
      if (!alive_[j] || j == a || j == b) continue;
      const double s = both(row_[b][j], row_[a][j]);
      row_[b][j] = s;
      row_[j][b] = s;
      row_[j][a] = infinite;
    }
    row_[b][a] = infinite;
    slots_.mass[b] = Form::mass(slots_.mass[b], slots_.mass[a]);
    alive_[a] = 0;
    if (--left_ == 1) slots_.m = 1;
    if (left_ == 1 || 2 * left_ >= slots_.m) return;
    slots_.keep_alive(alive_);
    for (i64 s = 0; s < left_; ++s) {
      double* row = row_[s] = row_[slots_.kept[s]];
      for (i64 t = 0; t < left_; ++t) row[t] = row[slots_.kept[t]];
    }
    chain_.rename(slots_.moved.data());
    for (i64 s = 0; s < left_; ++s) alive_[s] = 1;
    first_ = 0;
  }

  Slots slots_;
  Buffer<double*> row_;
  Buffer<i64> list_;
  Chain chain_;
  Buffer<double> apart_;
  Buffer<double>* store_ = nullptr;
  unsigned char* alive_ = nullptr;
  i64 stride_ = 0, left_ = 0, first_ = 0;
  bool foreign_ = false, few_ = false;
  Phase phase_ = Phase::search;
};

// The matrix of distances that is given.
template <class Form>
class GivenMatrix final : public Linker {
 public:
  explicit GivenMatrix(const LinkageProblem& p) : log_{p, this}, tree_(p.x, p.rows) {
    for (i64 i = 0; i < p.rows; ++i) tree_.slots().mass[i] = Form::mass(p.weight[i], 0.0);
  }
  bool step(i64 work) override { return tree_.step(work, log_); }
  double wants() const override { return tree_.wants(); }

 private:
  MergeLog log_;
  MatrixTree<Form> tree_;
};

}  // namespace empirisk::EMPIRISK_ISA
