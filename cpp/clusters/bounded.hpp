// Lloyd's assignment with bounds (Ding, Zhao, Shen, Musuvathi and Mytkowicz, ICML 2015, "Yinyang K-means"): a row keeps an upper bound
// of the distance to its own centre and, for each group of centres, a lower one of the distances to the others. Groups are whole panels,
// so that the rows that a group cannot be shown to be too far for meet it in tiles.
//
// A group is left out only where rounding cannot make one of its scores the smallest, and scores do not depend on the tile that
// computes them: the labels have the bits of the plain loop.
#pragma once
#include "clusters/assign.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 most_groups = 64;

EMPIRISK_INLINE float not_below(double v) {
  const float f = float(v);
  return f + 1.3e-7f * (f < 0 ? -f : f);
}
EMPIRISK_INLINE float not_above(double v) {
  const float f = float(v);
  return f - 1.3e-7f * (f < 0 ? -f : f);
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
    T score, second;
    double upper, error;  // of the own centre; of a score
    std::uint64_t todo;
  };

  // Rows [begin, end), a block at most; returns how many of them moved.
  i64 block(i64 begin, i64 end) {
    i64 count = 0;
    Row row[near_block];
    for (i64 i = begin; i < end; ++i) {
      const i64 own = p_.label[i];
      const double u = double(p_.upper[i]) + p_.walked[own], e = error(i);
      const std::uint64_t todo = near(i, u, e);
      if (todo == 0) continue;
      row[count++] = {i, own, group_of_[own], std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity(), u, e, todo};
    }
    if (count == 0) return 0;
    // The own group first: it gives the distance to the own centre, which may spare the others.
    for (i64 g = 0; g < p_.groups; ++g) look(row, count, g, true);
    for (i64 i = 0; i < count; ++i) {
      Row& r = row[i];
      r.todo = near(r.number, r.upper, r.error) & ~(std::uint64_t(1) << r.group);
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
  // What rounding can do to a score: of the products, of the centre in the format of the rows, of `half` and of the square.
  double error(i64 i) const {
    const double eps = double(std::numeric_limits<T>::epsilon()), length = __builtin_sqrt(p_.square[i]);
    return eps * double(x_.cols + 8) * ((length + middle_) * centers_.longest + centers_.highest + p_.square[i]);
  }

  // The groups that may hold a centre whose score is not above that of the own one.
  std::uint64_t near(i64 i, double u, double e) const {
    const float* lower = p_.lower + i * p_.groups;
    const double reach = u * u + 4.0 * e;
    std::uint64_t todo = 0;
    for (i64 g = 0; g < p_.groups; ++g) {
      const double l = double(lower[g]) - p_.group_walked[g];
      todo |= std::uint64_t(!(l > 0.0 && l * l > reach)) << g;
    }
    return todo;
  }

  double distance(const Row& r, T score, double sign) const {
    const double d = p_.square[r.number] + 2.0 * (double(score) + sign * r.error);
    return d > 0.0 ? __builtin_sqrt(d) : 0.0;
  }

  void keep(const Row& r, i64 g, T score) const {
    p_.lower[r.number * p_.groups + g] =
        score < std::numeric_limits<T>::infinity() ? not_above(distance(r, score, -1.0) + p_.group_walked[g]) : std::numeric_limits<float>::infinity();
  }

  void look(Row* row, i64 count, i64 g, bool own) {
    i64 index[near_block], at[near_block], n = 0;
    for (i64 i = 0; i < count; ++i) {
      const bool wanted = own ? row[i].group == g : (row[i].todo >> g & 1) != 0;
      if (!wanted) continue;
      at[n] = i;
      index[n++] = row[i].number;
    }
    if (n == 0) return;
    alignas(64) Seen<T> seen[near_block];
    for (i64 i = 0; i < n; ++i) forget(seen[i]);
    const i64 panels = p_.size / lanes<T>;
    x_.template look<true>(index, n, centers_, g * panels, (g + 1) * panels, seen);
    for (i64 i = 0; i < n; ++i) settle(row[at[i]], g, own, winner<true, T>(seen[i]));
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
i64 assign_rows_bounded(const Rows& x, const BoundedProblem& p) {
  using T = typename Rows::Number;
  const Panels<T> centers(p.centers, p.k, x.cols, p.shift, p.order, p.groups * p.size);
  Buffer<i64> group_of(p.k);
  for (i64 place = 0; place < p.groups * p.size; ++place)
    if (p.order[place] >= 0) group_of[p.order[place]] = place / p.size;
  double middle = 0.0;
  if (p.shift) for (i64 d = 0; d < x.cols; ++d) middle += p.shift[d] * p.shift[d];
  const i64 chunks = ceil_div(x.rows, near_chunk);
  Buffer<i64> moved(chunks);
  for_chunks(chunks, threads_for(x.rows * p.k * most<i64>(x.cols, 8), chunks), [&](i64 chunk, int) {
    BoundedAssign<Rows> run(x, p, centers, group_of.data(), __builtin_sqrt(middle));
    const i64 stop = least(x.rows, (chunk + 1) * near_chunk);
    moved[chunk] = 0;
    for (i64 begin = chunk * near_chunk; begin < stop; begin += near_block) moved[chunk] += run.block(begin, least(stop, begin + near_block));
  });
  i64 total = 0;
  for (i64 c = 0; c < chunks; ++c) total += moved[c];
  return total;
}

static i64 assign_bounded(const BoundedProblem& p) {
  i64 moved = 0;
  visit_rows(p.x, [&](const auto& x) { moved = assign_rows_bounded(x, p); });
  return moved;
}

static i64 panel_lanes(bool is_float32) { return is_float32 ? lanes<float> : lanes<double>; }

}  // namespace empirisk::EMPIRISK_ISA
