// What a round of boosting by votes does to the rows: scores, weights, and the measured error.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/parallel.hpp"

namespace empirisk {

// Row i is in leaf l = leaf[i] and has class y: score += value[l], weight *= factor[l, y].
struct VoteStep {
  std::int64_t n = 0;
  int k = 1;  // scores a row: 1 for two classes, else one a class
  int n_classes = 2;
  const std::int32_t* y = nullptr;
  const double* base = nullptr;  // weights of the rows, unchanged by boosting
  const std::int32_t* leaf = nullptr;
  const double* value = nullptr;   // (leaves, k)
  const double* factor = nullptr;  // (leaves, classes)
  double* score = nullptr;         // (n, k)
  double* weight = nullptr;        // (n,)
};

// Sums of the new weights, of base over rows that the scores misclassify, of base exp(-margin) (k > 1), and the least margin. A margin
// is y F for two classes (y = -1, 1), else half of F_y - max of the others; ties name the first class.
struct VoteSums {
  double weight = 0.0, error = 0.0, loss = 0.0, least = std::numeric_limits<double>::infinity();
  void merge(const VoteSums& o) { weight += o.weight, error += o.error, loss += o.loss, least = std::fmin(least, o.least); }
};

struct Placed {
  double margin;
  bool wrong;
};

inline Placed place(const double* score, int k, int y) {
  if (k == 1) return {y ? score[0] : -score[0], (score[0] > 0.0) != (y == 1)};
  double other = -std::numeric_limits<double>::infinity();
  bool wrong = false;
  for (int c = 0; c < k; ++c) {
    if (c == y) continue;
    other = std::fmax(other, score[c]);
    wrong |= c < y ? score[c] >= score[y] : score[c] > score[y];
  }
  return {0.5 * (score[y] - other), wrong};
}

inline VoteSums vote_rows(const VoteStep& s, std::int64_t begin, std::int64_t end) {
  VoteSums sums;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t leaf = s.leaf[i];
    double* score = s.score + i * s.k;
    for (int c = 0; c < s.k; ++c) score[c] += s.value[leaf * s.k + c];
    s.weight[i] *= s.factor[leaf * s.n_classes + s.y[i]];
    sums.weight += s.weight[i];
    const Placed at = place(score, s.k, s.y[i]);
    sums.error += at.wrong ? s.base[i] : 0.0;
    if (s.k > 1) sums.loss += s.base[i] * std::exp(-at.margin);  // with two classes the weights say it
    sums.least = std::fmin(sums.least, at.margin);
  }
  return sums;
}

// In chunks whose sums are added in their order.
inline VoteSums vote_step(const VoteStep& s) {
  using namespace EMPIRISK_ISA;
  constexpr i64 rows = 1 << 13;
  const i64 chunks = ceil_div(s.n, rows);
  std::vector<VoteSums> part(static_cast<std::size_t>(chunks));
  for_chunks(chunks, threads_for(s.n * (s.k + 20), chunks),
             [&](i64 c, int) { part[c] = vote_rows(s, c * rows, least<i64>(s.n, (c + 1) * rows)); });
  VoteSums sums;
  for (const VoteSums& p : part) sums.merge(p);
  return sums;
}

}  // namespace empirisk
