// Exact nearest neighbours by Euclidean distance, from products of rows: a squared distance is a norm, a norm and a product, and
// only the best of them are kept. What rounding can do to such a distance is bounded; the distances of those that were kept are
// computed again from differences, and where the bound does not show that no other row is as near, all rows are compared so.
#pragma once
#include <limits>

#include "neighbors/neighbor_table.hpp"
#include "support/row_tiles.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Near {
  double distance;
  i64 index;
};

EMPIRISK_INLINE bool nearer(const Near& a, const Near& b) {
  return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
}

// Puts the `count` nearest of n first, in no order (Hoare's selection, the middle of three as pivot).
inline void select_nearest(Near* a, i64 n, i64 count) {
  i64 low = 0, high = n - 1;
  while (low < high) {
    Near pivot = a[low + (high - low) / 2];
    if (nearer(a[high], a[low])) { const Near t = a[low]; a[low] = a[high]; a[high] = t; }
    if (nearer(pivot, a[low])) pivot = a[low];
    else if (nearer(a[high], pivot)) pivot = a[high];
    i64 i = low, j = high;
    while (i <= j) {
      while (nearer(a[i], pivot)) ++i;
      while (nearer(pivot, a[j])) --j;
      if (i <= j) {
        const Near t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (count <= j) high = j;
    else if (count >= i + 1) low = i;
    else return;
  }
}

inline void sort_nearest(Near* a, i64 n) {  // heap sort: no worst case, no memory
  const auto sift = [&](i64 root, i64 end) {
    for (i64 child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && nearer(a[child], a[child + 1])) ++child;
      if (!nearer(a[root], a[child])) return;
      const Near t = a[root];
      a[root] = a[child];
      a[child] = t;
    }
  };
  for (i64 i = n / 2 - 1; i >= 0; --i) sift(i, n);
  for (i64 end = n - 1; end > 0; --end) {
    const Near t = a[0];
    a[0] = a[end];
    a[end] = t;
    sift(0, end);
  }
}

// ||q_i - x_j||^2 from differences, in double; rows of both matrices as they are.
inline double exact_square(const Matrix& q, i64 i, const Matrix& x, i64 j) {
  double sum = 0.0;
  if (q.storage == Storage::dense && x.storage == Storage::dense) {
    const auto with = [&](const auto* a, const auto* b) {
      const auto *left = a + i * q.row_stride, *right = b + j * x.row_stride;
      for (i64 d = 0; d < q.cols; ++d) {
        const double difference = double(left[d * q.col_stride]) - double(right[d * x.col_stride]);
        sum += difference * difference;
      }
    };
    q.is_float32 ? with(static_cast<const float*>(q.data), static_cast<const float*>(x.data))
                 : with(static_cast<const double*>(q.data), static_cast<const double*>(x.data));
    return sum;
  }
  visit_compressed(q, [&](const auto& a) {
    visit_compressed(x, [&](const auto& b) {
      i64 s = i64(a.indptr[i]), t = i64(b.indptr[j]);
      const i64 s_end = i64(a.indptr[i + 1]), t_end = i64(b.indptr[j + 1]);
      while (s < s_end || t < t_end) {
        const i64 left = s < s_end ? i64(a.indices[s]) : std::numeric_limits<i64>::max();
        const i64 right = t < t_end ? i64(b.indices[t]) : std::numeric_limits<i64>::max();
        const double u = left <= right ? double(a.data[s++]) : 0.0, v = right <= left ? double(b.data[t++]) : 0.0;
        sum += (u - v) * (u - v);
      }
    });
  });
  return sum;
}

// The candidates of the queries of one chunk.
class Candidates {
 public:
  Candidates(i64 queries, i64 kept) : kept_(kept), room_(2 * kept), near_(queries * 2 * kept), count_(queries), worst_(queries) {}

  void begin(i64 queries) {
    for (i64 q = 0; q < queries; ++q) {
      count_[q] = 0;
      worst_[q] = std::numeric_limits<double>::infinity();
    }
  }

  // Distances `norm - 2 sum`; both may be read up to the end of a vector.
  EMPIRISK_INLINE void see(i64 q, i64 first, i64 width, const double* norm, const double* sum) {
    alignas(64) double distance[pair_panels * lanes<float>];
    Vec<double> lowest = fill(std::numeric_limits<double>::infinity());
    for (i64 l = 0; l < width; l += lanes<double>) {
      const Vec<double> d = load(norm + l) - fill(2.0) * load(sum + l);
      store(distance + l, d);
      lowest = smaller<double>(d, lowest);
    }
    double worst = worst_[q];
    bool any = false;
    for (i64 l = 0; l < lanes<double>; ++l) any |= lowest[l] < worst;
    if (!any) return;
    Near* near = near_.data() + q * room_;
    for (i64 l = 0; l < width; ++l) {
      if (!(distance[l] < worst)) continue;
      near[count_[q]++] = {distance[l], first + l};
      if (count_[q] < room_) continue;
      select_nearest(near, room_, kept_);
      count_[q] = kept_;
      worst = near[0].distance;
      for (i64 c = 1; c < kept_; ++c) worst = near[c].distance > worst ? near[c].distance : worst;
      worst_[q] = worst;
    }
  }

  // The candidates of a query, and how many there are; no other row has a smaller distance than `bound`.
  Near* finish(i64 q, i64& count, double& bound) {
    Near* near = near_.data() + q * room_;
    if (count_[q] > kept_) {
      select_nearest(near, count_[q], kept_);
      count_[q] = kept_;
    }
    count = count_[q];
    bound = std::numeric_limits<double>::infinity();
    if (count == kept_) {
      bound = near[0].distance;
      for (i64 c = 1; c < count; ++c) bound = near[c].distance > bound ? near[c].distance : bound;
    }
    return near;
  }

 private:
  i64 kept_, room_;
  Buffer<Near> near_;
  Buffer<i64> count_;
  Buffer<double> worst_;
};

template <class T>
class BruteSearch {
 public:
  explicit BruteSearch(const NearestProblem& p) : p_(p), kept_(least(p.x.rows, p.k + 1 + most<i64>(32, p.k / 4))), chunk_(pair_chunk_of(p.q.rows, p.x.cols)) {}

  void run() {
    constexpr i64 L = lanes<T>;
    const SomeRows x{p_.x, nullptr, p_.x.rows}, q{p_.q, nullptr, p_.q.rows};
    PackedRows<T> columns(p_.x.rows, p_.x.cols, L);
    pack_panels<Products>(x, p_.center, columns);
    // Products, norms and centred entries are rounded in the format of the rows: so much of both norms. Each row pays for its own,
    // so that one row far away does not blur the others.
    const double eps = double(std::numeric_limits<T>::epsilon());
    const double share = 2.0 * eps * double(least(p_.x.cols, pair_depth) + 12) + 8.0 * 2.3e-16 * double(p_.x.cols);
    // Squares that underflow lose an amount that no norm tells of.
    const double lost = 4.0 * double(p_.x.cols) * double(std::numeric_limits<T>::min());
    Buffer<double> least_norm(round_up(p_.x.rows, L));
    for (i64 j = p_.x.rows; j < round_up(p_.x.rows, L); ++j) least_norm[j] = std::numeric_limits<double>::infinity();
    for (i64 j = 0; j < p_.x.rows; ++j) least_norm[j] = (1.0 - share) * columns.alone[j] - lost;
    const i64 chunks = ceil_div(p_.q.rows, chunk_);
    const int threads = threads_for(p_.q.rows * p_.x.rows * most<i64>(p_.x.cols, 8), chunks);
    Buffer<Candidates*> candidates(threads);
    int made = 0;
    struct Release {
      Buffer<Candidates*>& each;
      int& count;
      ~Release() { for (int i = 0; i < count; ++i) delete each[i]; }
    } release{candidates, made};
    for (; made < threads; ++made) candidates[made] = new Candidates(chunk_, kept_);
    Buffer<double> norms(p_.q.rows);
    for (int t = 0; t < threads; ++t) candidates[t]->begin(chunk_);
    walk_all_pairs<Products, T>(
        q, p_.center, columns,
        [&](int thread, i64 i, i64 first, i64 width, const double* sums, double alone) {
          norms[i] = alone;
          candidates[thread]->see(i % chunk_, first, width, least_norm.data() + first, sums);
        },
        [&](i64 begin, i64 end, int thread) {
          for (i64 i = begin; i < end; ++i) settle(*candidates[thread], i, (1.0 - share) * norms[i]);
          candidates[thread]->begin(chunk_);
        });
  }

 private:
  // Distances of the candidates from differences; they are proved to be the nearest, or all rows are compared.
  void settle(Candidates& candidates, i64 i, double least_norm) const {
    i64 count;
    double bound;
    Near* near = candidates.finish(i % chunk_, count, bound);
    const i64 absent = p_.left_out ? p_.left_out[i] : -1;
    i64 n = 0;
    for (i64 c = 0; c < count; ++c)
      if (near[c].index != absent) near[n++] = {exact_square(p_.q, i, p_.x, near[c].index), near[c].index};
    sort_nearest(near, n);
    double* distance = p_.distance + i * p_.k;
    i64* index = p_.index + i * p_.k;
    if (n >= p_.k && (count == p_.x.rows || near[p_.k - 1].distance < bound + least_norm)) {
      for (i64 c = 0; c < p_.k; ++c) {
        distance[c] = near[c].distance;
        index[c] = near[c].index;
      }
      return;
    }
    compare_all(i, absent, distance, index);
  }

  // Insertion into the sorted results: for queries that tie with many rows.
  void compare_all(i64 i, i64 absent, double* distance, i64* index) const {
    i64 n = 0;
    for (i64 j = 0; j < p_.x.rows; ++j) {
      if (j == absent) continue;
      const double d = exact_square(p_.q, i, p_.x, j);
      if (n == p_.k && !(d < distance[n - 1])) continue;
      i64 at = n < p_.k ? n++ : n - 1;
      for (; at > 0 && d < distance[at - 1]; --at) {
        distance[at] = distance[at - 1];
        index[at] = index[at - 1];
      }
      distance[at] = d;
      index[at] = j;
    }
  }

  NearestProblem p_;
  i64 kept_, chunk_;
};

static void nearest_brute(const NearestProblem& problem) {
  problem.x.is_float32 ? BruteSearch<float>(problem).run() : BruteSearch<double>(problem).run();
}

}  // namespace empirisk::EMPIRISK_ISA
