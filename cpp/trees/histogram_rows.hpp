// Passes over the rows of nodes: integers of the derivatives, the two children, sums and values of leaves.
#pragma once
#include <cmath>

#include "support/parallel.hpp"
#include "trees/histogram_table.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 node_chunk = 8192;
constexpr i64 gather_work = 48;  // a gathered row costs as much as so many multiply-adds
constexpr i64 part_work = 16;    // a row that is sent to a child

// body(first row, one past the last, chunk)
template <class Body>
void for_node_chunks(i64 n, i64 work, const Body& body) {
  const i64 chunks = ceil_div(n, node_chunk);
  for_chunks(chunks, threads_for(n * work, chunks), [&](i64 c, int) { body(c * node_chunk, least(n, (c + 1) * node_chunk), c); });
}

EMPIRISK_INLINE std::int32_t rounded(double x) { return std::int32_t(std::nearbyint(x)); }
EMPIRISK_INLINE std::int32_t at_least_one(double x) { return rounded(x > 0.0 && x < 1.0 ? 1.0 : x); }

inline void quantise_rows(const DerivativeRows& d, const QuantiseScale& s, i64 n, RowMoments* out) {
  for_node_chunks(n, 8, [&](i64 first, i64 end, i64) {
    if (!d.weight)
      for (i64 i = first; i < end; ++i) out[i] = {rounded(d.g[i] * s.g), std::uint32_t(at_least_one(d.h[i] * s.h))};
    else if (s.whole)
      for (i64 i = first; i < end; ++i) {
        const std::int32_t w = std::int32_t(d.weight[i]);
        out[i] = {w * rounded(d.g[i] * s.g), std::uint32_t(w * at_least_one(d.h[i] * s.h))};
      }
    else
      for (i64 i = first; i < end; ++i) {
        const double w = d.weight[i];
        out[i] = {rounded(w * d.g[i] * s.g), std::uint32_t(at_least_one(w * d.h[i] * s.h))};
      }
  });
}

// The rows of a piece to `left` and to `right`, each in their order; the number of the former. Either may be where the rows
// lie: none is written before it is read. Both are stored each time and one is kept, as no branch could be foreseen.
template <class Row>
EMPIRISK_INLINE i64 part_piece(const std::uint8_t* codes, const std::uint8_t* goes, i64 n, std::int32_t* left, std::int32_t* right,
                               const Row& row) {
  i64 lefts = 0;
  for (i64 i = 0; i < n; ++i) {
    const std::int32_t r = row(i);
    left[lefts] = r, right[i - lefts] = r;
    lefts += goes[codes[r]];
  }
  return lefts;
}

// The rows first .. first + n - 1 of a node.
inline i64 part_rows(const std::uint8_t* codes, const std::uint8_t* goes, const NodeRows& node, i64 first, i64 n, std::int32_t* left,
                     std::int32_t* right) {
  const std::int32_t* const rows = node.rows + (node.rows ? first : 0);
  if (rows) return part_piece(codes, goes, n, left, right, [rows](i64 i) { return rows[i]; });
  return part_piece(codes, goes, n, left, right, [first](i64 i) { return std::int32_t(first + i); });
}

inline void copy_rows(std::int32_t* to, const std::int32_t* from, i64 n) { std::memcpy(to, from, sizeof(std::int32_t) * std::size_t(n)); }

// One thread: rows that go left are where they belong at once, and the others wait in `spare` until their number is known.
// Several threads: each parts chunks within `spare`, and then all copy.
inline i64 partition_rows(const std::uint8_t* codes, const std::uint64_t* set, const NodeRows& node, std::int32_t* spare, std::int32_t* to) {
  std::uint8_t goes[256];
  for (int c = 0; c < 256; ++c) goes[c] = std::uint8_t(set[c >> 6] >> (c & 63) & 1);
  const i64 chunks = ceil_div(node.n, node_chunk);
  const int threads = threads_for(node.n * part_work, chunks);
  if (threads <= 1) {
    const i64 lefts = part_rows(codes, goes, node, 0, node.n, to, spare);
    copy_rows(to + lefts, spare, node.n - lefts);
    return lefts;
  }
  const Buffer<i64> before(chunks + 1);
  before[0] = 0;
  for_chunks(chunks, threads, [&](i64 c, int) {
    const i64 first = c * node_chunk, n = least(node_chunk, node.n - first);
    std::int32_t right[node_chunk];
    const i64 lefts = before[c + 1] = part_rows(codes, goes, node, first, n, spare + first, right);
    copy_rows(spare + first + lefts, right, n - lefts);
  });
  for (i64 c = 0; c < chunks; ++c) before[c + 1] += before[c];
  for_chunks(chunks, threads, [&](i64 c, int) {
    const i64 first = c * node_chunk, n = least(node_chunk, node.n - first), lefts = before[c + 1] - before[c];
    copy_rows(to + before[c], spare + first, lefts);
    copy_rows(to + before[chunks] + first - before[c], spare + first + lefts, n - lefts);
  });
  return before[chunks];
}

// Calls body(leaf, first row, one past the last, chunk) on pieces of all leaves; the number of pieces of a leaf depends on it alone.
class LeafChunks {
 public:
  LeafChunks(const NodeRows* leaves, i64 n) : leaves_(leaves), n_(n), start_(n + 1) {
    start_[0] = 0;
    for (i64 l = 0; l < n; ++l) start_[l + 1] = start_[l] + ceil_div(leaves[l].n, node_chunk), rows_ += leaves[l].n;
  }
  i64 count() const { return start_[n_]; }
  i64 first_of(i64 leaf) const { return start_[leaf]; }

  template <class Body>
  void run(const Body& body) const {
    for_chunks(count(), threads_for(rows_ * gather_work, count()), [&](i64 c, int) {
      i64 leaf = 0;
      while (start_[leaf + 1] <= c) ++leaf;
      const i64 first = (c - start_[leaf]) * node_chunk;
      body(leaf, first, least(leaves_[leaf].n, first + node_chunk), c);
    });
  }

 private:
  const NodeRows* leaves_;
  i64 n_, rows_ = 0;
  Buffer<i64> start_;
};

inline void sum_leaves(const DerivativeRows& d, const NodeRows* leaves, i64 n, LeafSums* out) {
  const LeafChunks chunks(leaves, n);
  const Buffer<LeafSums> parts(chunks.count());
  chunks.run([&](i64 leaf, i64 first, i64 end, i64 chunk) {
    double g[4] = {}, h[4] = {}, weight[4] = {};
    for (i64 i = first; i < end; ++i) {
      const i64 row = leaves[leaf].rows ? leaves[leaf].rows[i] : i, k = i & 3;
      const double w = d.weight ? d.weight[row] : 1.0;
      g[k] += w * d.g[row], h[k] += w * d.h[row], weight[k] += w;
    }
    parts[chunk] = {(g[0] + g[1]) + (g[2] + g[3]), (h[0] + h[1]) + (h[2] + h[3]), (weight[0] + weight[1]) + (weight[2] + weight[3])};
  });
  for (i64 leaf = 0; leaf < n; ++leaf) {
    out[leaf] = LeafSums{0.0, 0.0, 0.0};
    for (i64 c = chunks.first_of(leaf); c < chunks.first_of(leaf + 1); ++c)
      out[leaf].g += parts[c].g, out[leaf].h += parts[c].h, out[leaf].weight += parts[c].weight;
  }
}

inline void add_leaf_values(const NodeRows* leaves, i64 n, const double* values, double* z) {
  LeafChunks(leaves, n).run([&](i64 leaf, i64 first, i64 end, i64) {
    const std::int32_t* const rows = leaves[leaf].rows;
    for (i64 i = first; i < end; ++i) z[rows ? rows[i] : i] += values[leaf];
  });
}

inline void add_tree(const CodeTree& t, const std::uint8_t* codes, i64 stride, const NodeRows& node, double* z) {
  for_node_chunks(node.n, 4 * gather_work, [&](i64 first, i64 end, i64) {
    for (i64 i = first; i < end; ++i) {
      const i64 row = node.rows ? node.rows[i] : i;
      const std::uint8_t* const code = codes + row * stride;
      std::int32_t at = 0;
      while (t.feature[at] >= 0) {
        const int c = code[t.feature[at]];
        at = t.left[at] + 1 - std::int32_t(t.set[4 * i64(at) + (c >> 6)] >> (c & 63) & 1);
      }
      z[row] += t.value[at];
    }
  });
}

}  // namespace empirisk::EMPIRISK_ISA
