// Exact searches in a tree of rows, by distances whose powers are sums over the columns. Rounding is monotone: the bound of a box is
// summed by the operations, and in the order, in which the distances of its rows are, from differences that are none of them larger.
// So the rounded bound never exceeds a rounded distance, and a box is left out only when no row in it could be an answer.
#pragma once
#include <cmath>

#include "neighbors/brute.hpp"
#include "neighbors/row_tree.hpp"

namespace empirisk::EMPIRISK_ISA {

struct SquaredDifferences {
  template <class V>
  EMPIRISK_INLINE void add(V& sum, const V& d) const { sum += d * d; }
  double root(double sum) const { return std::sqrt(sum); }
  double surely(double bound) const { return bound; }
};

struct SummedDifferences {
  template <class V>
  EMPIRISK_INLINE void add(V& sum, const V& d) const { sum += d > 0.0 ? d : -d; }
  double root(double sum) const { return sum; }
  double surely(double bound) const { return bound; }
};

struct LargestDifference {
  template <class V>
  EMPIRISK_INLINE void add(V& sum, const V& d) const {
    const V size = d > 0.0 ? d : -d;
    sum = size > sum ? size : sum;
  }
  double root(double sum) const { return sum; }
  double surely(double bound) const { return bound; }
};

struct PoweredDifferences {
  double power, columns;
  template <class V>
  EMPIRISK_INLINE void add(V& sum, const V& d) const {
    alignas(64) double part[lanes<double>];
    store(part, d);
    for (i64 l = 0; l < lanes<double>; ++l) part[l] = std::pow(std::fabs(part[l]), power);
    sum += load(part);
  }
  double root(double sum) const { return std::pow(sum, 1.0 / power); }
  // Powers are off by a unit in the last place, and need not be monotone.
  double surely(double bound) const { return bound * (1.0 - 4.5e-16 * (columns + 4.0)); }
};

template <class T, class Form>
class TreeSearch {
 public:
  TreeSearch(const TreeQuery& query, const Form& form) : p_(query), form_(form), shape_(query.rows, query.leaf), cols_(query.q.cols) {}

  // The k nearest of each query: a heap of the best, the worst of them on top.
  void nearest() const {
    const auto search = [&](i64 i, const double* q, Near* heap) {
      const i64 k = p_.k, absent = p_.left_out ? p_.left_out[i] : -1;
      for (i64 c = 0; c < k; ++c) heap[c] = {std::numeric_limits<double>::infinity(), nobody};
      walk(
          q, [&](double bound, i64 first) { return !nearer({bound, first}, heap[0]); },
          [&](double distance, i64 number) {
            if (number == absent || !nearer({distance, number}, heap[0])) return;
            sink(heap, k, {distance, number});
          });
      sort_nearest(heap, k);
      for (i64 c = 0; c < k; ++c) {
        p_.distance[i * k + c] = form_.root(heap[c].distance);
        p_.index[i * k + c] = heap[c].index;
      }
    };
    over_queries(p_.k, search);
  }

  // How many rows are within the radius of each query; with `starts` the rows, too, by distance and number.
  void within() const {
    i64 widest = 0;
    if (p_.starts)
      for (i64 i = 0; i < p_.q.rows; ++i) widest = most(widest, p_.starts[i + 1] - p_.starts[i]);
    const auto search = [&](i64 i, const double* q, Near* found) {
      i64 n = 0;
      walk(
          q, [&](double bound, i64) { return form_.root(bound) > p_.radius; },
          [&](double distance, i64 number) {
            if (number == nobody) return;
            const double d = form_.root(distance);
            if (!(d <= p_.radius)) return;
            if (p_.starts) found[n] = {d, number};
            ++n;
          });
      if (!p_.starts) {
        p_.index[i] = n;
        return;
      }
      sort_nearest(found, n);
      for (i64 c = 0; c < n; ++c) {
        p_.distance[p_.starts[i] + c] = found[c].distance;
        p_.index[p_.starts[i] + c] = found[c].index;
      }
    };
    over_queries(widest, search);
  }

 private:
  struct Node {
    double bound;
    i64 first, level, j;
  };
  static constexpr i64 deepest = 24 * tree_width;

  static void sink(Near* heap, i64 k, const Near& entry) {
    i64 at = 0;
    for (i64 child; (child = 2 * at + 1) < k; at = child) {
      if (child + 1 < k && nearer(heap[child], heap[child + 1])) ++child;
      if (!nearer(entry, heap[child])) break;
      heap[at] = heap[child];
    }
    heap[at] = entry;
  }

  template <class Search>
  void over_queries(i64 room, const Search& search) const {
    constexpr i64 chunk = 64;
    const i64 chunks = ceil_div(p_.q.rows, chunk);
    const int threads = threads_for(p_.q.rows * most<i64>(cols_, 8) * 512, chunks);
    Buffer<Near> near(threads * most<i64>(room, 1));
    Buffer<double> query(threads * cols_);
    const DenseView<T> q = dense_view<T>(p_.q);
    for_chunks(chunks, threads, [&](i64 c, int thread) {
      double* row = query.data() + thread * cols_;
      for (i64 i = c * chunk; i < least(p_.q.rows, (c + 1) * chunk); ++i) {
        for (i64 d = 0; d < cols_; ++d) row[d] = double(q.data[i * q.row_stride + d * q.col_stride]);
        search(i, row, near.data() + thread * room);
      }
    });
  }

  // Visits leaves, near ones first; beyond(bound, first) says that nothing in a box of that bound and first number matters.
  template <class Beyond, class See>
  void walk(const double* q, const Beyond& beyond, const See& see) const {
    Node stack[deepest];
    i64 top = 0;
    stack[top++] = {0.0, 0, 0, 0};
    while (top > 0) {
      const Node node = stack[--top];
      if (node.level > 0 && beyond(node.bound, node.first)) continue;
      if (node.level == shape_.halvings) scan(q, node.j, see);
      else expand(q, node, beyond, stack, top);
    }
  }

  template <class Beyond>
  EMPIRISK_INLINE void expand(const double* q, const Node& node, const Beyond& beyond, Node* stack, i64& top) const {
    constexpr i64 L = lanes<double>, W = tree_width;
    const i64 step = shape_.step_from(node.level), fan = i64(1) << step, group = shape_.groups_before(node.level) + node.j;
    const T* box = static_cast<const T*>(p_.boxes) + group * 2 * cols_ * W;
    alignas(64) double bound[W];
    for (i64 l = 0; l < W; l += L) {
      Vec<double> sum = fill(0.0);
      const Vec<double> zero = fill(0.0);
      for (i64 d = 0; d < cols_; ++d) {
        const Vec<double> v = fill(q[d]), below = load_double(box + 2 * d * W + l) - v, above = v - load_double(box + (2 * d + 1) * W + l);
        const Vec<double> outside = below > above ? below : above;
        form_.add(sum, outside > zero ? outside : zero);
      }
      store(bound + l, sum);
    }
    const i64 base = top;
    for (i64 l = 0; l < fan; ++l) {
      const Node child{form_.surely(bound[l]), p_.first[group * W + l], node.level + step, node.j * fan + l};
      if (beyond(child.bound, child.first)) continue;
      i64 at = top++;
      for (; at > base && nearer({stack[at - 1].bound, stack[at - 1].first}, {child.bound, child.first}); --at) stack[at] = stack[at - 1];
      stack[at] = child;
    }
  }

  template <class See>
  EMPIRISK_INLINE void scan(const double* q, i64 j, const See& see) const {
    constexpr i64 L = lanes<double>, W = tree_width;
    const i64 begin = (shape_.panels * j) >> shape_.halvings, end = (shape_.panels * (j + 1)) >> shape_.halvings;
    for (i64 k = begin; k < end; ++k) {
      const T* panel = static_cast<const T*>(p_.panels) + k * cols_ * W;
      alignas(64) double distance[W];
      for (i64 l = 0; l < W; l += L) {
        Vec<double> sum = fill(0.0);
        for (i64 d = 0; d < cols_; ++d) form_.add(sum, load_double(panel + d * W + l) - fill(q[d]));
        store(distance + l, sum);
      }
      for (i64 l = 0; l < W; ++l) see(distance[l], p_.order[k * W + l]);
    }
  }

  TreeQuery p_;
  Form form_;
  TreeShape shape_;
  i64 cols_;
};

static void search_tree(const TreeQuery& query) {
  const auto with = [&](auto zero, const auto& form) {
    using Form = std::remove_cvref_t<decltype(form)>;
    const TreeSearch<decltype(zero), Form> search(query, form);
    query.k > 0 ? search.nearest() : search.within();
  };
  const auto of = [&](const auto& form) { query.q.is_float32 ? with(float{}, form) : with(double{}, form); };
  if (query.power == 2.0) of(SquaredDifferences{});
  else if (query.power == 1.0) of(SummedDifferences{});
  else if (std::isinf(query.power)) of(LargestDifference{});
  else of(PoweredDifferences{query.power, double(query.q.cols)});
}

}  // namespace empirisk::EMPIRISK_ISA
