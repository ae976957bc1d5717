// Trees from rows: rounds in which all pairs of mutually nearest clusters are merged at once. Clusters whose neighbour was not merged
// keep it. Ward's clusters are their centroids, and need memory for n rows alone; those of other linkages are compared row by row until
// few enough are left for the square matrix of their sums.
#pragma once
#include "linkage/centroid_boxes.hpp"
#include "linkage/group_scan.hpp"
#include "linkage/matrix_tree.hpp"

namespace empirisk::EMPIRISK_ISA {

// How the rows of two clusters become those of one.
struct CentroidGroups {
  using Join = MaxJoin;  // one row a cluster
  using Form = Inertia;
  static constexpr bool matrix = false, weighs = false;
  static double merge(Members& members, i64 to, i64 from, double mine, double its) {
    const double both = mine + its;
    members.centroid(to, from, mine / both, its / both);
    return both;
  }
};

template <class JoinOf, class FormOf, bool Halves>
struct RowGroups {
  using Join = JoinOf;
  using Form = FormOf;
  static constexpr bool matrix = true, weighs = !Halves;
  static double merge(Members& members, i64 to, i64 from, double mine, double its) {
    if (Halves) {
      members.scale(to, 0.5);
      members.scale(from, 0.5);
    }
    members.append(to, from);
    return Halves ? 1.0 : mine + its;
  }
};

template <class Metric, class Groups, class MatrixForm>
class VectorTree final : public Linker {
 public:
  using Form = typename Groups::Form;

  explicit VectorTree(const LinkageProblem& problem)
      : p_(problem), log_{problem, this}, slots_(problem.rows), members_(problem, Groups::weighs), list_(problem.rows), chain_(problem.rows) {
    if (!Groups::weighs && Groups::matrix) return;
    for (i64 i = 0; i < p_.rows; ++i) slots_.mass[i] = p_.weight[i];
  }
  ~VectorTree() override {
    delete panels_;
    delete boxes_;
    delete core_;
    delete[] alive_;
  }

  double wants() const override { return phase_ == Phase::matrix ? MatrixTree<MatrixForm>::bytes(slots_.m) : core_ ? core_->wants() : 0.0; }

  bool step(i64 work) override {
    if (phase_ == Phase::search) search(work);
    else if (phase_ == Phase::chain) chain(work);
    else if (phase_ == Phase::matrix) build();
    else return core_->step(work, log_);
    return slots_.m > 1;
  }

 private:
  enum class Phase { search, chain, matrix, core };

  void search(i64 work) {
    if (!panels_ && !boxes_) {
      if (by_boxes()) boxes_ = new CentroidBoxes(slots_, members_);
      else panels_ = new Panels(slots_, members_);
      count_ = slots_.first_in_need(list_.data());
      done_ = 0;
    }
    constexpr i64 chunk = 8;
    const i64 all = boxes_ ? 4096 * members_.p : panels_->start[panels_->panels] * wide * members_.p;
    i64 end = done_, spent = 0;
    while (end < count_ && spent < work) spent += members_.size[list_[end++]] * all;
    end = least(count_, done_ + round_up(end - done_, chunk));
    const i64 chunks = ceil_div(end - done_, chunk);
    for_chunks(chunks, threads_for(spent, chunks), [&](i64 c, int) {
      const i64 from = done_ + c * chunk, count = least(chunk, end - from);
      nearest_of(list_.data() + from, count);
    });
    done_ = end;
    if (done_ == count_) finish_round();
  }

  // Measured on normal rows; see docs/maths/linkage.md.
  bool by_boxes() const {
    if (Groups::matrix) return false;
    return p_.boxes < 0 ? slots_.m >= 4000 && members_.p <= 6 : p_.boxes > 0;
  }

  void nearest_of(const i64* who, i64 count) {
    Nearest best[8];
    if (boxes_) for (i64 c = 0; c < count; ++c) best[c] = boxes_->nearest(who[c], slots_.mass[who[c]]);
    else scan_groups<Metric, typename Groups::Join>(*panels_, members_, who, count, [&](i64 c, i64 k, const Lanes& sums) {
      const double mine = slots_.mass[who[c]];
      const double* its = panels_->mass.data() + k * wide;
      if (!Form::may(sums, mine, load(its), best[c].distance)) return;
      for (i64 l = 0; l < wide; ++l) {
        const i64 s = panels_->slot[k * wide + l];
        if (s >= 0 && s != who[c]) best[c].see(Form::exact(sums[l], mine, its[l]), s);
      }
    });
    for (i64 c = 0; c < count; ++c) {
      slots_.distance[who[c]] = best[c].distance;
      slots_.near[who[c]] = best[c].slot;
    }
  }

  void finish_round() {
    delete panels_;
    delete boxes_;
    panels_ = nullptr;
    boxes_ = nullptr;
    const i64 before = slots_.m;
    if (!slots_.find_pairs()) return log_.stop();
    for (i64 k = 0; k < slots_.pairs; ++k) {
      const i64 s = slots_.pair[k], b = slots_.kept[s], a = slots_.partner[s];
      slots_.mass[b] = Groups::merge(members_, b, a, slots_.mass[b], slots_.mass[a]);
    }
    for (i64 s = 0; s < slots_.after; ++s) members_.move(s, slots_.kept[s]);
    const bool few = slots_.pairs * few_pairs < before;
    slots_.finish_round(log_);
    if (Groups::matrix && (few || 2 * slots_.m <= p_.rows) && slots_.m > 1) phase_ = Phase::matrix;
    else if (few) phase_ = Phase::chain;
  }

  void build() {
    if constexpr (Groups::matrix) {
      core_ = new MatrixTree<MatrixForm>(slots_);
      const Panels panels(slots_, members_);
      const i64 chunks = ceil_div(slots_.m, 8);
      for_chunks(chunks, threads_for(p_.rows * p_.rows * members_.p, chunks), [&](i64 c, int) {
        i64 who[8];
        const i64 count = least<i64>(8, slots_.m - 8 * c);
        for (i64 i = 0; i < count; ++i) who[i] = 8 * c + i;
        scan_groups<Metric, typename Groups::Join>(panels, members_, who, count, [&](i64 i, i64 k, const Lanes& sums) {
          double* row = core_->row(who[i]);
          for (i64 l = 0; l < wide; ++l)
            if (panels.slot[k * wide + l] >= 0) row[panels.slot[k * wide + l]] = sums[l];
        });
      });
      core_->begin();
      phase_ = Phase::core;
    }
  }

  // The chain over centroids: each of its steps compares one of them with all.
  void chain(i64 work) {
    if constexpr (!Groups::matrix) {
      for (i64 spent = 0; spent < work && slots_.m > 1;) {
        if (!panels_) restart();
        if (chain_.empty()) {
          while (!alive_[first_]) ++first_;
          chain_.begin(first_);
        }
        const i64 x = chain_.top();
        Nearest best;
        const double mine = slots_.mass[x];
        row_to_panels<Metric>(members_.p, members_.rows.data() + members_.head[x] * members_.p, panels_->rows(0), 0, panels_->panels,
                              [&](i64 k, const Lanes& sums) {
          const double* its = panels_->mass.data() + k * wide;
          if (!Form::may(sums, mine, load(its), best.distance)) return;
          for (i64 l = 0; l < wide; ++l) {
            const i64 s = panels_->slot[k * wide + l];
            if (s >= 0 && s != x && alive_[s]) best.see(Form::exact(sums[l], mine, its[l]), s);
          }
        });
        spent += panels_->panels * wide * most<i64>(members_.p, 8);
        if (best.slot < 0 || chain_.full()) return log_.stop();
        i64 a, b;
        double height;
        if (chain_.take(best, a, b, height)) join(a, b, height);
      }
    }
  }

  void join(i64 a, i64 b, double height) {
    const double h = most(most(slots_.level[a], slots_.level[b]), height);
    log_(slots_.number[a], slots_.number[b], h);
    slots_.level[b] = h;
    slots_.mass[b] = Groups::merge(members_, b, a, slots_.mass[b], slots_.mass[a]);
    place(a, true);
    place(b, false);
    alive_[a] = 0;
    if (--left_ == 1) slots_.m = 1;
    else if (2 * left_ < slots_.m) {
      slots_.keep_alive(alive_);
      for (i64 s = 0; s < slots_.m; ++s) members_.move(s, slots_.kept[s]);
      chain_.rename(slots_.moved.data());
      delete panels_;
      panels_ = nullptr;
    }
  }

  // Lanes are slots here, because every cluster has one row.
  void place(i64 s, bool gone) {
    double* to = panels_->rows(s / wide) + s % wide;
    for (i64 d = 0; d < members_.p; ++d) to[d * wide] = gone ? infinite : members_.rows[members_.head[s] * members_.p + d];
    panels_->mass[s] = gone ? 1.0 : slots_.mass[s];
  }

  void restart() {
    panels_ = new Panels(slots_, members_);
    if (!alive_) alive_ = new unsigned char[std::size_t(slots_.m)];
    for (i64 s = 0; s < slots_.m; ++s) alive_[s] = 1;
    left_ = slots_.m;
    first_ = 0;
  }

  LinkageProblem p_;
  MergeLog log_;
  Slots slots_;
  Members members_;
  Buffer<i64> list_;
  Chain chain_;
  Panels* panels_ = nullptr;
  CentroidBoxes* boxes_ = nullptr;
  MatrixTree<MatrixForm>* core_ = nullptr;
  unsigned char* alive_ = nullptr;
  i64 count_ = 0, done_ = 0, left_ = 0, first_ = 0;
  Phase phase_ = Phase::search;
};

}  // namespace empirisk::EMPIRISK_ISA
