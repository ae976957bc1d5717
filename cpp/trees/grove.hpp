// Trees that threads grow in any order, joined in the order of their numbers as soon as those before them are there: the
// memory of all trees is that of their nodes once, and not twice while they are joined.
#pragma once
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "trees/flat_tree.hpp"

namespace empirisk {

// Numbers in one piece of memory that grows by realloc, which moves large pieces without a second copy; pages beyond the
// numbers are never touched, and take no memory.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { std::free(data_); }

  std::size_t size() const { return size_; }

  void append(const T* from, std::size_t n, std::size_t expected) {
    make_room(n, expected);
    if (n) std::memcpy(data_ + size_, from, n * sizeof(T));
    size_ += n;
  }
  void append_shifted(const std::vector<T>& from, T shift, std::size_t expected) {
    make_room(from.size(), expected);
    for (const T v : from) data_[size_++] = v < 0 ? v : v + shift;
  }
  void fill(T value, std::size_t n, std::size_t expected) {
    make_room(n, expected);
    for (std::size_t i = 0; i < n; ++i) data_[size_++] = value;
  }

  // The numbers, whose memory is the caller's to free by std::free.
  T* release() {
    T* const all = static_cast<T*>(std::realloc(data_, sizeof(T) * (size_ ? size_ : 1)));
    if (!all) throw std::bad_alloc();
    data_ = nullptr, capacity_ = size_ = 0;
    return all;
  }

 private:
  void make_room(std::size_t n, std::size_t expected) {
    if (size_ + n <= capacity_) return;
    std::size_t wanted = size_ + n + capacity_ / 4;
    if (wanted < expected) wanted = expected;
    T* const moved = static_cast<T*>(std::realloc(data_, sizeof(T) * wanted));
    if (!moved) throw std::bad_alloc();
    data_ = moved, capacity_ = wanted;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

struct Grove {
  explicit Grove(std::int64_t trees) : start{0}, waiting_(std::size_t(trees)), ready_(std::size_t(trees), 0) {}

  GrowingArray<std::int32_t> feature, left;
  GrowingArray<double> threshold, value, weight, gain, heterogeneity;
  GrowingArray<std::uint8_t> missing_left;
  GrowingArray<std::int64_t> category_start, count;  // category_start: none as long as no node asks for categories
  GrowingArray<std::uint32_t> category_words;
  std::vector<std::int64_t> start;

  std::int64_t trees() const { return std::int64_t(ready_.size()); }

  // Takes tree number t, which is empty afterwards; any thread may call.
  void put(std::int64_t t, FlatTree& tree) {
    const std::lock_guard<std::mutex> lock(one_at_a_time_);
    if (t != next_) {
      waiting_[std::size_t(t)] = std::exchange(tree, FlatTree{}), ready_[std::size_t(t)] = 1;
      return;
    }
    join(tree);
    tree.clear();
    for (++next_; next_ < trees() && ready_[std::size_t(next_)]; ++next_) {
      join(waiting_[std::size_t(next_)]);
      waiting_[std::size_t(next_)] = FlatTree{};
    }
  }

 private:
  void join(const FlatTree& t) {
    const std::size_t n = t.feature.size(), before = feature.size();
    // As many nodes as all trees have if those to come are like this one, and a sixteenth more.
    const std::size_t expected = before + n + (n + n / 16) * (ready_.size() - start.size());
    const auto add = [&](auto& to, const auto& from) { to.append(from.data(), from.size(), expected); };
    add(feature, t.feature), add(left, t.left), add(threshold, t.threshold), add(weight, t.weight), add(gain, t.gain);
    add(heterogeneity, t.heterogeneity), add(missing_left, t.missing_left), add(count, t.count);
    value.append(t.value.data(), t.value.size(), expected * std::size_t(t.n_outputs));
    if (!t.category_words.empty() || category_start.size()) {
      if (category_start.size() < before) category_start.fill(-1, before, expected);
      category_start.append_shifted(t.category_start, std::int64_t(category_words.size()), expected);
      category_words.append(t.category_words.data(), t.category_words.size(), 0);
    }
    start.push_back(std::int64_t(feature.size()));
  }

  std::mutex one_at_a_time_;
  std::vector<FlatTree> waiting_;
  std::vector<std::uint8_t> ready_;
  std::int64_t next_ = 0;
};

}  // namespace empirisk
