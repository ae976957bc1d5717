// The categories of a node's rows with their sums, in an order that cuts are made in.
#pragma once
#include <algorithm>
#include <vector>

#include "trees/sorted_entries.hpp"
#include "trees/sorted_node.hpp"

namespace empirisk {

class CategoryTable {
 public:
  explicit CategoryTable(int width) : width_(width) {}

  void reserve(std::int64_t most) {
    code_.reserve(std::size_t(most)), count_.reserve(std::size_t(most)), key_.reserve(std::size_t(most)), order_.reserve(std::size_t(most));
    sums_.reserve(std::size_t(most * width_));
  }

  // Rows of one category stand together: add(row, sums) sums them.
  template <class Row, class Add>
  void collect(const Row* begin, const Row* end, const KeyBits& bits, const Add& add) {
    code_.clear(), count_.clear(), sums_.clear();
    for (const Row* e = begin; e != end; ++e) {
      const std::uint32_t code = std::uint32_t(bits.rank(e->key));
      if (code_.empty() || code_.back() != code) code_.push_back(code), count_.push_back(0), sums_.insert(sums_.end(), std::size_t(width_), 0.0);
      ++count_.back(), add(*e, sums_.data() + sums_.size() - width_);
    }
    order_.resize(code_.size());
    for (std::size_t c = 0; c < code_.size(); ++c) order_[c] = std::uint32_t(c);
  }

  // By key(sums), then by code.
  template <class Key>
  void sort(const Key& key) {
    key_.clear();
    for (std::size_t c = 0; c < code_.size(); ++c) key_.push_back(key(sums_.data() + c * std::size_t(width_)));
    sort_by(key_);
  }

  // By key[c] of the c-th category, then by code.
  void sort_by(const std::vector<double>& key) {
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t s, std::uint32_t t) { return key[s] != key[t] ? key[s] < key[t] : s < t; });
  }

  std::size_t number(std::int64_t at) const { return order_[std::size_t(at)]; }
  std::int64_t size() const { return std::int64_t(code_.size()); }
  const double* sums(std::int64_t at) const { return sums_.data() + std::size_t(order_[std::size_t(at)]) * std::size_t(width_); }
  std::int64_t count(std::int64_t at) const { return count_[order_[std::size_t(at)]]; }

  // The first `cut` categories of the order, one bit each.
  std::vector<std::uint32_t> set(std::int64_t cut, std::int64_t n_categories) const {
    std::vector<std::uint32_t> words(std::size_t((n_categories + 31) / 32));
    for (std::int64_t k = 0; k < cut; ++k) mark(words, code_[order_[std::size_t(k)]]);
    return words;
  }

  // The categories whose bit of `chosen` is 1, by their place in the order of codes.
  std::vector<std::uint32_t> subset(std::uint64_t chosen, std::int64_t n_categories) const {
    std::vector<std::uint32_t> words(std::size_t((n_categories + 31) / 32));
    for (std::size_t c = 0; c < code_.size(); ++c)
      if (chosen >> c & 1) mark(words, code_[c]);
    return words;
  }

  // Adds the categories that no row had.
  void add_absent(std::vector<std::uint32_t>& words, std::int64_t n_categories) const {
    std::size_t at = 0;
    for (std::int64_t c = 0; c < n_categories; ++c) {
      if (at < code_.size() && std::int64_t(code_[at]) == c) ++at;
      else mark(words, std::uint32_t(c));
    }
  }

 private:
  static void mark(std::vector<std::uint32_t>& words, std::uint32_t code) { words[code / 32] |= std::uint32_t(1) << (code % 32); }

  int width_;
  std::vector<std::uint32_t> code_, order_;
  std::vector<std::int64_t> count_;
  std::vector<double> key_, sums_;
};

}  // namespace empirisk
