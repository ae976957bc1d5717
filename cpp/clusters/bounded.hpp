// Lloyd's assignment with bounds (Ding, Zhao, Shen, Musuvathi and Mytkowicz, ICML 2015, "Yinyang K-means"): a row keeps an upper bound
// of the distance to its own centre and, for each group of centres, a lower one of the distances to the others. Groups are whole panels,
// so that the rows that a group cannot be shown to be too far for meet it in tiles.
//
// A group is left out only where rounding cannot make one of its scores the smallest, and scores do not depend on the tile that
// computes them: the labels have the bits of the plain loop.
#pragma once
#include "clusters/assign.hpp"

namespace empirisk::EMPIRISK_ISA {

// Rows whose groups are looked at together: so many that the rows of one group fill tiles.
constexpr i64 bounded_block = 256;

EMPIRISK_INLINE float not_below(double v) {
  const float f = float(v);
  return f + 1.3e-7f * (f < 0 ? -f : f);
}
EMPIRISK_INLINE float not_above(double v) {
  const float f = float(v);
  return f - 1.3e-7f * (f < 0 ? -f : f);
}
// The root of a square in single precision, which is much sooner; three roundings of 2^-24 at most.
EMPIRISK_INLINE double quick_root(double square, double sign) {
  return square > 0.0 ? double(__builtin_sqrtf(float(square))) * (1.0 + sign * 2e-7) : 0.0;
}

template <class Rows>
class BoundedAssign {
 public:
  using T = typename Rows::Number;

  BoundedAssign(const Rows& x, const BoundedProblem& p, const Panels<T>& centers, const i64* group_of, double middle)
      : x_(x), p_(p), centers_(centers), group_of_(group_of), middle_(middle) {}

  // What is known of one row of a block while its groups are looked at.
  struct Row {
    i64 number, winner, group;
    T score;
    double upper, error;  // of the own centre; of a score
    std::uint64_t todo;
  };

  i64 looked = 0;  // pairs of a row and a group that met

  // Rows [begin, end), a block at most; returns how many of them moved.
  i64 block(i64 begin, i64 end) {
    i64 count = 0;
    Row row[bounded_block];
    std::uint64_t todo[bounded_block];
    float reach[bounded_block];
    for (i64 i = begin; i < end; ++i) reach[i - begin] = reach_of(double(p_.upper[i]) + p_.walked[p_.label[i]], error(i));
    near(begin, end - begin, reach, todo);
    for (i64 i = begin; i < end; ++i) {
      if (todo[i - begin] == 0) continue;
      const i64 own = p_.label[i];
      row[count++] = {i, own, group_of_[own], std::numeric_limits<T>::infinity(), 0.0, error(i), 0};
    }
    if (count == 0) return 0;
    // The own group first: it gives the score of the own centre, and the distance to it.
    for (i64 g = 0; g < p_.groups; ++g) look(row, count, g, true);
    for (i64 i = 0; i < count; ++i) {
      Row& r = row[i];
      near(r.number, &r.todo, reach_of(r.upper, r.error));
      r.todo &= ~(std::uint64_t(1) << r.group);
    }
    for (i64 g = 0; g < p_.groups; ++g) look(row, count, g, false);
    i64 moved = 0;
    for (i64 i = 0; i < count; ++i) {
      const Row& r = row[i];
      moved += p_.label[r.number] != r.winner;
      p_.label[r.number] = std::int32_t(r.winner);
      p_.upper[r.number] = not_below(r.upper - p_.walked[r.winner]);
    }
    return moved;
  }

 private:
  // What rounding can do to a score: of the products, of the centre in the format of the rows, of `half` and of the square. The
  // product of two lengths is at most the mean of their squares.
  double error(i64 i) const {
    const double eps = double(std::numeric_limits<T>::epsilon()), far = centers_.longest;
    return eps * double(x_.cols + 8) * (1.5 * p_.square[i] + 0.5 * far * far + middle_ * far + centers_.highest);
  }

  // A group whose bound is above this holds no centre whose score is as small as the own one's.
  static float reach_of(double u, double e) {
    const double square = u * u + 4.0 * e;
    return square < 1e38 ? float(quick_root(square, 1.0)) * (1.0f + 4e-7f) : std::numeric_limits<float>::infinity();
  }

  // For `count` rows from `begin` on, the groups that may hold such a centre.
  void near(i64 begin, i64 count, const float* reach, std::uint64_t* todo) const {
    for (i64 i = 0; i < count; ++i) todo[i] = 0;
    for (i64 g = 0; g < p_.groups; ++g) {
      const float* lower = p_.lower + g * x_.rows + begin;
      const float walked = not_below(p_.group_walked[g]);
      for (i64 i = 0; i < count; ++i) todo[i] |= std::uint64_t(!(lower[i] - walked > reach[i])) << g;
    }
  }
  void near(i64 row, std::uint64_t* todo, float reach) const { near(row, 1, &reach, todo); }

  double distance(const Row& r, T score, double sign) const {
    return quick_root(p_.square[r.number] + 2.0 * (double(score) + sign * r.error), sign);
  }

  void keep(const Row& r, i64 g, T score) const {
    p_.lower[g * x_.rows + r.number] =
        score < std::numeric_limits<T>::infinity() ? not_above(distance(r, score, -1.0) + p_.group_walked[g]) : std::numeric_limits<float>::infinity();
  }

  void look(Row* row, i64 count, i64 g, bool own) {
    i64 index[bounded_block], at[bounded_block], n = 0;
    for (i64 i = 0; i < count; ++i) {
      const bool wanted = own ? row[i].group == g : (row[i].todo >> g & 1) != 0;
      if (!wanted) continue;
      at[n] = i;
      index[n++] = row[i].number;
    }
    if (n == 0) return;
    looked += n;
    alignas(64) Seen<T> seen[bounded_block];
    for (i64 i = 0; i < n; ++i) forget(seen[i]);
    const i64 panels = p_.size / lanes<T>;
    x_.template look<true, false>(index, n, centers_, g * panels, (g + 1) * panels, seen);
    for (i64 i = 0; i < n; ++i) {
      Row& r = row[at[i]];
      const T score = own ? T(0) : lane_min<T>(seen[i].best);
      if (own || !(score > r.score)) settle(r, g, own, winner<true, T>(seen[i]));
      else keep(r, g, score);
    }
  }

  void settle(Row& r, i64 g, bool own, const Winner<T>& w) {
    if (own) {
      r.winner = w.number;
      r.score = w.score;
      keep(r, g, w.second);
    } else if (w.score < r.score || (w.score == r.score && w.number < r.winner)) {
      // The group that held the nearest centre so far has it among its others now.
      keep(r, r.group, r.score);
      r.winner = w.number;
      r.score = w.score;
      r.group = g;
      keep(r, g, w.second);
    } else {
      keep(r, g, w.score);
      return;
    }
    r.upper = distance(r, r.score, 1.0);
  }

  const Rows& x_;
  const BoundedProblem& p_;
  const Panels<T>& centers_;
  const i64* group_of_;
  double middle_;
};

template <class Rows>
BoundedCount assign_rows_bounded(const Rows& x, const BoundedProblem& p) {
  using T = typename Rows::Number;
  const Panels<T> centers(p.centers, p.k, x.cols, p.shift, p.order, p.groups * p.size);
  Buffer<i64> group_of(p.k);
  for (i64 place = 0; place < p.groups * p.size; ++place)
    if (p.order[place] >= 0) group_of[p.order[place]] = place / p.size;
  double middle = 0.0;
  if (p.shift) for (i64 d = 0; d < x.cols; ++d) middle += p.shift[d] * p.shift[d];
  const i64 chunks = ceil_div(x.rows, near_chunk);
  Buffer<i64> moved(chunks), looked(chunks);
  for_chunks(chunks, threads_for(x.rows * p.k * most<i64>(x.cols, 8), chunks), [&](i64 chunk, int) {
    BoundedAssign<Rows> run(x, p, centers, group_of.data(), __builtin_sqrt(middle));
    const i64 stop = least(x.rows, (chunk + 1) * near_chunk);
    moved[chunk] = 0;
    for (i64 begin = chunk * near_chunk; begin < stop; begin += bounded_block)
      moved[chunk] += run.block(begin, least(stop, begin + bounded_block));
    looked[chunk] = run.looked;
  });
  BoundedCount total;
  for (i64 c = 0; c < chunks; ++c) {
    total.moved += moved[c];
    total.looked += looked[c];
  }
  return total;
}

static BoundedCount assign_bounded(const BoundedProblem& p) {
  BoundedCount count;
  visit_rows(p.x, [&](const auto& x) { count = assign_rows_bounded(x, p); });
  return count;
}

static i64 panel_lanes(bool is_float32) { return is_float32 ? lanes<float> : lanes<double>; }

}  // namespace empirisk::EMPIRISK_ISA
