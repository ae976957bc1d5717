// The clusters that are left, one a slot, in the order of their largest row, which is a cluster's number. Of equally close pairs the
// one with the smaller numbers comes first. With this rule the order of the pairs is reducible, too: the number of A and B together is
// the larger one, so that their pair with C stands behind that of A or B with C, and pairs of mutually nearest clusters may be merged
// in any order (Bruynooghe 1977; Murtagh, The Computer Journal 26, 1983; Muellner, arXiv:1109.2378, section 3).
#pragma once
#include "linkage/panels.hpp"

namespace empirisk::EMPIRISK_ISA {

class Slots {
 public:
  explicit Slots(i64 n)
      : m(n), number(n), mass(n), level(n), near(n), distance(n), need(n), kept(n), partner(n), moved(n), pair(n) {
    for (i64 i = 0; i < n; ++i) {
      number[i] = i;
      mass[i] = 1.0;
      level[i] = 0.0;
      need[i] = 1;
    }
  }

  i64 m;
  Buffer<i64> number;    // the largest row
  Buffer<double> mass;   // what it counts in means
  Buffer<double> level;  // the height of its last merge
  Buffer<i64> near;      // the nearest slot, and how far it is
  Buffer<double> distance;
  Buffer<unsigned char> need;  // whether these two must be found anew
  // Of a round: the slots that stay (old numbers), the slot that joins each of these or -1, and new numbers of old slots.
  Buffer<i64> kept, partner, moved;
  Buffer<i64> pair;  // kept slots (new numbers) that have a partner
  i64 after = 0, pairs = 0;

  i64 first_in_need(i64* list) const {
    i64 count = 0;
    for (i64 i = 0; i < m; ++i)
      if (need[i]) list[count++] = i;
    return count;
  }

  // Finds all pairs of mutually nearest slots; the larger slot of a pair stays. False where a slot has no nearest one.
  bool find_pairs() {
    for (i64 i = 0; i < m; ++i)
      if (near[i] < 0) return false;
    i64 found = 0;
    for (i64 i = 0; i < m; ++i) moved[i] = -1;  // here: the partner of a slot that stays, or -2 for one that goes
    for (i64 i = 0; i < m; ++i) {
      const i64 j = near[i];
      if (j > i && near[j] == i) {
        moved[j] = i;
        moved[i] = -2;
        ++found;
      }
    }
    if (found == 0) {  // rounding made neighbours that run in a circle: the closest pair ends it
      i64 best = 0;
      for (i64 i = 1; i < m; ++i)
        if (distance[i] < distance[best]) best = i;
      const i64 j = near[best], low = least(best, j), high = most(best, j);
      moved[high] = low;
      moved[low] = -2;
    }
    after = pairs = 0;
    for (i64 i = 0; i < m; ++i) {
      if (moved[i] == -2) continue;
      kept[after] = i;
      partner[after] = moved[i];
      if (moved[i] >= 0) pair[pairs++] = after;
      ++after;
    }
    for (i64 s = 0; s < after; ++s) {
      moved[kept[s]] = s;
      if (partner[s] >= 0) moved[partner[s]] = s;
    }
    return true;
  }

  // Writes the merges of the round down and moves what is kept of each slot.
  template <class Log>
  void finish_round(const Log& log) {
    for (i64 s = 0; s < pairs; ++s) {
      const i64 b = kept[pair[s]], a = partner[pair[s]];
      const double h = most(most(level[a], level[b]), distance[b]);
      log(number[a], number[b], h);
      level[b] = h;
    }
    for (i64 s = 0; s < after; ++s) {
      const i64 i = kept[s], j = near[i];
      const bool lost = partner[s] >= 0 || partner[moved[j]] >= 0;
      number[s] = number[i];
      mass[s] = mass[i];
      level[s] = level[i];
      distance[s] = distance[i];
      near[s] = moved[j];
      need[s] = lost;
    }
    m = after;
  }

  // Slots that stay are those with alive[i].
  void keep_alive(const unsigned char* alive) {
    after = 0;
    for (i64 i = 0; i < m; ++i) {
      moved[i] = alive[i] ? after : -1;
      if (!alive[i]) continue;
      kept[after] = i;
      number[after] = number[i];
      mass[after] = mass[i];
      level[after++] = level[i];
    }
    m = after;
  }
};

// The merges, in the order in which they are found: those inside a cluster before those with it.
struct MergeLog {
  LinkageProblem p;
  Linker* owner;
  void operator()(i64 a, i64 b, double height) const {
    if (owner->merges >= p.rows - 1) return stop();
    const i64 k = owner->merges++;
    p.first[k] = a;
    p.second[k] = b;
    p.height[k] = height;
  }
  void stop() const { owner->lost = true; }
};

// A chain of nearest neighbours whose links get shorter; its end is a pair of mutually nearest slots.
class Chain {
 public:
  explicit Chain(i64 n) : n_(n), slot_(n + 1), length_(n + 1) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ > n_; }
  i64 top() const { return slot_[size_ - 1]; }
  void begin(i64 slot) {
    slot_[0] = slot;
    length_[0] = infinite;
    size_ = 1;
  }

  // Takes the neighbour of the top; true when the two last ones are a pair, which leaves the chain.
  bool take(const Nearest& found, i64& a, i64& b, double& height) {
    const i64 x = top();
    if (size_ > 1) {
      const i64 before = slot_[size_ - 2];
      const double length = length_[size_ - 1];
      const bool closer = found.distance < length || (found.distance == length && found.slot < before);
      if (found.slot == before || !closer) {
        a = least(before, x);
        b = most(before, x);
        height = length;
        size_ -= 2;
        return true;
      }
    }
    slot_[size_] = found.slot;
    length_[size_++] = found.distance;
    return false;
  }

  void rename(const i64* moved) {
    for (i64 i = 0; i < size_; ++i) slot_[i] = moved[slot_[i]];
  }

 private:
  i64 n_;
  Buffer<i64> slot_;
  Buffer<double> length_;
  i64 size_ = 0;
};

// A round that merges fewer than one in so many slots costs more than the chain does.
constexpr i64 few_pairs = 16;

}  // namespace empirisk::EMPIRISK_ISA
