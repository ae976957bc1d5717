// The building of a tree of rows: boxes are halved across their longest side, at the median, until a leaf holds a few panels of
// eight rows. Three halvings are one step of a search, so that one vector holds the bounds of all children. (Bentley, Communications
// of the ACM 18, 1975; Friedman, Bentley and Finkel, ACM Transactions on Mathematical Software 3, 1977.)
#pragma once
#include <limits>

#include "neighbors/neighbor_table.hpp"
#include "support/parallel.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 tree_width = 8;    // rows of a panel, and children of a node
constexpr i64 nobody = std::numeric_limits<i64>::max();  // the number of a row that is not there

// Where the nodes of a tree lie. A level counts halvings; node j of a level holds the places [place(level, j), place(level, j + 1)).
struct TreeShape {
  i64 rows, panels, halvings, head;  // head: halvings of the first step, 1 to 3

  TreeShape(i64 n, i64 leaf) : rows(n), panels(ceil_div(n, tree_width)), halvings(0), head(0) {
    while (ceil_div(panels, i64(1) << halvings) > leaf) ++halvings;
    head = halvings == 0 ? 0 : (halvings - 1) % 3 + 1;
  }

  i64 place(i64 level, i64 j) const { return least(rows, ((panels * j) >> level) * tree_width); }
  bool has_boxes(i64 level) const { return level > 0 && (level - head) % 3 == 0; }
  i64 step_from(i64 level) const { return level == 0 ? head : 3; }
  // The number of the first group of children of the nodes of a level.
  i64 groups_before(i64 level) const {
    i64 sum = 0;
    for (i64 b = 0; b < level; b += step_from(b)) sum += i64(1) << b;
    return sum;
  }
  i64 groups() const { return groups_before(halvings); }
};

// The k-th smallest of n values, counted from 0; their order is lost. Most of a long list is passed once: two values of a sample
// bracket the one that is sought.
template <class T>
T nth_value(T* v, i64 n, i64 k) {
  const auto hoare = [](T* a, i64 size, i64 at) {
    i64 low = 0, high = size - 1;
    while (low < high) {
      T pivot = a[low + (high - low) / 2];
      if (a[high] < a[low]) { const T t = a[low]; a[low] = a[high]; a[high] = t; }
      if (pivot < a[low]) pivot = a[low];
      else if (a[high] < pivot) pivot = a[high];
      i64 i = low, j = high;
      while (i <= j) {
        while (a[i] < pivot) ++i;
        while (pivot < a[j]) --j;
        if (i <= j) {
          const T t = a[i];
          a[i++] = a[j];
          a[j--] = t;
        }
      }
      if (at <= j) high = j;
      else if (at >= i) low = i;
      else break;
    }
    return a[at];
  };
  constexpr i64 sampled = 256, spread = 24;  // three standard deviations of the rank of the median of the sample
  if (n < 16 * sampled) return hoare(v, n, k);
  T sample[sampled];
  const i64 at = k * sampled / n, stride = n / sampled;
  for (i64 i = 0; i < sampled; ++i) sample[i] = v[i * stride];
  const T from = hoare(sample, sampled, most<i64>(0, at - spread));
  const T to = hoare(sample, sampled, least<i64>(sampled - 1, at + spread));
  i64 below = 0, inside = 0;
  for (i64 i = 0; i < n; ++i) {
    below += v[i] < from;
    inside += !(v[i] < from) & !(to < v[i]);
  }
  if (k < below || k >= below + inside) return hoare(v, n, k);
  i64 kept = 0;  // those inside come first; nothing else is needed
  for (i64 i = 0; i < n; ++i) {
    const T value = v[i];
    v[kept] = value;
    kept += !(value < from) & !(to < value);
    if (kept == inside) break;
  }
  return hoare(v, inside, k - below);
}

template <class T>
class TreeBuilder {
 public:
  TreeBuilder(const TreeProblem& problem)
      : p_(problem), shape_(problem.x.rows, problem.leaf), cols_(problem.x.cols), first_(problem.x.rows * cols_),
        second_(problem.x.rows * cols_), numbers_(problem.x.rows), others_(problem.x.rows), values_(problem.x.rows),
        threads_(threads_for(problem.x.rows * cols_ * 16, most<i64>(2, ceil_div(problem.x.rows, 4096)))),
        sides_(threads_ * 2 * cols_) {}

  void run() {
    const i64 chunk = 4096, n = p_.x.rows;
    const DenseView<T> x = dense_view<T>(p_.x);
    for_chunks(ceil_div(n, chunk), threads_, [&](i64 c, int) {
      for (i64 i = c * chunk; i < least(n, (c + 1) * chunk); ++i) {
        numbers_[i] = i;
        for (i64 d = 0; d < cols_; ++d) first_[i * cols_ + d] = x.data[i * x.row_stride + d * x.col_stride];
      }
    });
    for (i64 g = 0; g < shape_.groups(); ++g)
      for (i64 l = 0; l < tree_width; ++l) p_.first[g * tree_width + l] = nobody;
    i64 level = 0;
    for (; level < least<i64>(shape_.halvings, 6); ++level)
      for_chunks(i64(1) << level, threads_, [&](i64 j, int thread) { split(level, j, thread); });
    for_chunks(i64(1) << level, threads_, [&](i64 j, int thread) { descend(level, j, thread); });
  }

 private:
  void descend(i64 level, i64 j, int thread) {
    split(level, j, thread);
    if (level == shape_.halvings) return;
    descend(level + 1, 2 * j, thread);
    descend(level + 1, 2 * j + 1, thread);
  }

  // Tells the box of a node, and moves its rows to the other buffer, those of the first half first. Rows of a node stay in the order
  // of their numbers, of which a median of many equal values takes the first.
  void split(i64 level, i64 j, int thread) {
    const bool even = level % 2 == 0;
    const T* rows = even ? first_.data() : second_.data();
    const i64* numbers = even ? numbers_.data() : others_.data();
    const i64 begin = shape_.place(level, j), end = shape_.place(level, j + 1);
    T *low = sides_.data() + thread * 2 * cols_, *high = low + cols_;
    measure(rows, begin, end, low, high);
    if (shape_.has_boxes(level)) keep_box(level, j, low, high, begin < end ? numbers[begin] : nobody);
    if (level == shape_.halvings) return keep_leaf(rows, numbers, begin, end);
    i64 axis = 0;
    for (i64 d = 1; d < cols_; ++d)
      if (double(high[d]) - double(low[d]) > double(high[axis]) - double(low[axis])) axis = d;
    const i64 middle = shape_.place(level + 1, 2 * j + 1);
    T* to = even ? second_.data() : first_.data();
    i64* name = even ? others_.data() : numbers_.data();
    T limit = T(0);
    i64 equal = 0;  // rows at the limit that belong to the first half
    if (middle > begin && middle < end) {
      T* values = values_.data() + begin;
      for (i64 i = begin; i < end; ++i) values[i - begin] = rows[i * cols_ + axis];
      limit = nth_value(values, end - begin, middle - begin - 1);
      equal = middle - begin;
      for (i64 i = begin; i < end; ++i) equal -= rows[i * cols_ + axis] < limit;
    }
    i64 left = begin, right = middle;
    for (i64 i = begin; i < end; ++i) {
      const T* row = rows + i * cols_;
      const bool tied = row[axis] == limit && equal > 0;
      equal -= tied;
      const bool goes_left = middle > begin && (middle >= end || row[axis] < limit || tied);
      const i64 at = goes_left ? left : right;
      left += goes_left;
      right += !goes_left;
      for (i64 d = 0; d < cols_; ++d) to[at * cols_ + d] = row[d];
      name[at] = numbers[i];
    }
  }

  void measure(const T* rows, i64 begin, i64 end, T* low, T* high) const {
    for (i64 d = 0; d < cols_; ++d) {
      low[d] = std::numeric_limits<T>::infinity();
      high[d] = -std::numeric_limits<T>::infinity();
    }
    for (i64 i = begin; i < end; ++i)
      for (i64 d = 0; d < cols_; ++d) {
        const T v = rows[i * cols_ + d];
        low[d] = v < low[d] ? v : low[d];
        high[d] = v > high[d] ? v : high[d];
      }
  }

  void keep_box(i64 level, i64 j, const T* low, const T* high, i64 number) {
    const i64 above = level == shape_.head ? 0 : level - 3, fan = i64(1) << (level - above);
    const i64 group = shape_.groups_before(above) + j / fan, lane = j % fan;
    T* box = static_cast<T*>(p_.boxes) + group * 2 * cols_ * tree_width + lane;
    for (i64 d = 0; d < cols_; ++d) {
      box[2 * d * tree_width] = low[d];
      box[(2 * d + 1) * tree_width] = high[d];
    }
    p_.first[group * tree_width + lane] = number;
  }

  void keep_leaf(const T* rows, const i64* numbers, i64 begin, i64 end) {
    T* panels = static_cast<T*>(p_.panels);
    for (i64 place = begin; place < round_up(end, tree_width); ++place) {
      T* to = panels + place / tree_width * cols_ * tree_width + place % tree_width;
      for (i64 d = 0; d < cols_; ++d)
        to[d * tree_width] = place < end ? rows[place * cols_ + d] : std::numeric_limits<T>::infinity();
      p_.order[place] = place < end ? numbers[place] : nobody;
    }
  }

  TreeProblem p_;
  TreeShape shape_;
  i64 cols_;
  Buffer<T> first_, second_;
  Buffer<i64> numbers_, others_;
  Buffer<T> values_;
  int threads_;
  Buffer<T> sides_;
};

static void build_tree(const TreeProblem& problem) {
  problem.x.is_float32 ? TreeBuilder<float>(problem).run() : TreeBuilder<double>(problem).run();
}

static TreeSize tree_size(i64 rows, i64 leaf) {
  const TreeShape shape(rows, leaf);
  return {shape.panels, shape.groups()};
}

}  // namespace empirisk::EMPIRISK_ISA
