// A growing tree: the arrays of Trees (src/empirisk/trees/structure.py) as vectors. Children are adjacent.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace empirisk {

struct FlatTree {
  int n_outputs = 1;
  std::vector<std::int32_t> feature, left;
  std::vector<double> threshold, value, weight, gain, heterogeneity;
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int64_t> category_start, count;
  std::vector<std::uint32_t> category_words;

  std::int64_t size() const { return std::int64_t(feature.size()); }

  // No nodes; the memory stays for the next tree.
  void clear() {
    feature.clear(), left.clear(), threshold.clear(), value.clear(), weight.clear(), gain.clear(), heterogeneity.clear();
    missing_left.clear(), category_start.clear(), count.clear(), category_words.clear();
  }

  // A new leaf; its number. The caller fills in value (n_outputs numbers).
  std::int32_t add_leaf(double w, std::int64_t rows, double h) {
    const std::int32_t id = std::int32_t(feature.size());
    feature.push_back(-1), left.push_back(-1), threshold.push_back(0.0), missing_left.push_back(0);
    category_start.push_back(-1), gain.push_back(0.0);
    weight.push_back(w), count.push_back(rows), heterogeneity.push_back(h);
    value.resize(value.size() + std::size_t(n_outputs), 0.0);
    return id;
  }

  double* value_of(std::int32_t node) { return value.data() + std::int64_t(node) * n_outputs; }

  // The leaf becomes an inner node whose children are `first` and `first + 1`.
  void split_number(std::int32_t node, std::int32_t first, std::int32_t column, double cut, bool missing, double decrease) {
    feature[node] = column, left[node] = first, threshold[node] = cut;
    missing_left[node] = missing, gain[node] = decrease;
  }

  void split_categories(std::int32_t node, std::int32_t first, std::int32_t column, std::span<const std::uint32_t> set,
                        bool missing, double decrease) {
    split_number(node, first, column, 0.0, missing, decrease);
    category_start[node] = std::int64_t(category_words.size());
    category_words.insert(category_words.end(), set.begin(), set.end());
  }

  // The leaf becomes the root of `sub`, whose other nodes are appended.
  void graft(std::int32_t node, const FlatTree& sub) {
    const std::int32_t shift = std::int32_t(size()) - 1;
    const std::int64_t words = std::int64_t(category_words.size());
    const auto append = [](auto& to, const auto& from, std::int64_t skip) { to.insert(to.end(), from.begin() + skip, from.end()); };
    const auto moved = [&](std::int32_t at, std::int64_t of) {
      if (sub.left[of] >= 0) left[at] = sub.left[of] + shift;
      if (sub.category_start[of] >= 0) category_start[at] = sub.category_start[of] + words;
    };
    append(feature, sub.feature, 1), append(left, sub.left, 1), append(threshold, sub.threshold, 1);
    append(value, sub.value, n_outputs), append(weight, sub.weight, 1), append(gain, sub.gain, 1);
    append(heterogeneity, sub.heterogeneity, 1), append(missing_left, sub.missing_left, 1);
    append(category_start, sub.category_start, 1), append(count, sub.count, 1), append(category_words, sub.category_words, 0);
    for (std::int64_t k = 1; k < sub.size(); ++k) moved(std::int32_t(k) + shift, k);
    feature[node] = sub.feature[0], threshold[node] = sub.threshold[0], gain[node] = sub.gain[0], missing_left[node] = sub.missing_left[0];
    moved(node, 0);
  }
};

}  // namespace empirisk
