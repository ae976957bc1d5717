// The least recently used rows of a kernel matrix, in float32, within a limit of bytes. Only columns in use are kept: rows become
// shorter when columns leave, and more of them fit.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace empirisk {

class RowCache {
 public:
  using i64 = std::int64_t;
  // Writes the given rows at the given columns (null: all) into the places.
  using Fill = std::function<void(const std::vector<i64>& rows, const std::vector<float*>& places)>;

  RowCache(i64 n_rows, i64 n_columns, double bytes) : bytes_(bytes), slot_of_(n_rows, -1) { resize(n_columns); }

  i64 most_rows() const { return i64(row_of_.size()); }

  // Pointers to the rows, which stay where they are until the next call; missing ones are made by `fill`, all at once.
  std::vector<const float*> take(const std::vector<i64>& rows, const Fill& fill) {
    ++clock_;
    for (const i64 r : rows)
      if (slot_of_[r] >= 0) used_[slot_of_[r]] = clock_;
    std::vector<i64> missing;
    std::vector<float*> places;
    for (const i64 r : rows) {
      if (slot_of_[r] >= 0) continue;
      const i64 slot = free_slot();
      if (row_of_[slot] >= 0) slot_of_[row_of_[slot]] = -1;
      row_of_[slot] = r;
      slot_of_[r] = slot;
      used_[slot] = clock_;
      missing.push_back(r);
      places.push_back(at(slot));
    }
    if (!missing.empty()) {
      try {
        fill(missing, places);
      } catch (...) {  // what was not written must not be taken for a row
        for (const i64 r : missing) row_of_[slot_of_[r]] = -1, slot_of_[r] = -1;
        throw;
      }
      computed_ += i64(missing.size());
    }
    std::vector<const float*> out;
    out.reserve(rows.size());
    for (const i64 r : rows) out.push_back(at(slot_of_[r]));
    return out;
  }

  // Keeps the columns at these places of the rows, in their order; the rows stay.
  void keep_columns(const std::vector<i64>& places) {
    const i64 before = stride_, after = padded(i64(places.size()));
    std::vector<std::pair<i64, i64>> live;  // (slot, row), from the first slot on, so that nothing is overwritten before it moves
    for (i64 s = 0; s < most_rows(); ++s)
      if (row_of_[s] >= 0) live.emplace_back(s, row_of_[s]);
    std::vector<i64> used(live.size());
    for (std::size_t k = 0; k < live.size(); ++k) {
      const float* from = data_.get() + live[k].first * before;
      float* to = data_.get() + i64(k) * after;
      for (std::size_t c = 0; c < places.size(); ++c) to[c] = from[places[c]];
      used[k] = used_[live[k].first];
    }
    layout(after);
    for (std::size_t k = 0; k < live.size(); ++k) {
      row_of_[k] = live[k].second;
      slot_of_[live[k].second] = i64(k);
      used_[k] = used[k];
    }
    next_ = i64(live.size());
  }

  // Forgets all rows: they have this many columns from now on.
  void resize(i64 n_columns) {
    for (i64& s : slot_of_) s = -1;
    layout(padded(n_columns));
    next_ = 0;
  }

  i64 computed() const { return computed_; }

 private:
  static i64 padded(i64 n) { return (n + 15) / 16 * 16; }  // whole cache lines
  float* at(i64 slot) { return data_.get() + slot * stride_; }

  void layout(i64 stride) {
    stride_ = stride;
    i64 slots = i64(bytes_ / (sizeof(float) * double(stride_ > 0 ? stride_ : 1)));
    slots = slots < 2 ? 2 : slots;  // a step needs two rows
    slots = slots > i64(slot_of_.size()) ? i64(slot_of_.size()) : slots;
    // As much as any later layout needs: rows that stay when columns leave must not move to other memory. Uninitialised: the
    // system hands out pages when they are first written.
    const i64 most = slots * stride_ > i64(bytes_ / sizeof(float)) ? slots * stride_ : i64(bytes_ / sizeof(float));
    const i64 all = i64(slot_of_.size()) * stride_, wanted = most < all ? most : all;
    if (size_ < wanted && size_ < slots * stride_) {
      size_ = wanted;
      data_.reset(new float[std::size_t(size_)]);
    }
    row_of_.assign(std::size_t(slots), -1);
    used_.assign(std::size_t(slots), 0);
  }

  i64 free_slot() {
    if (next_ < most_rows()) return next_++;
    i64 oldest = -1;
    for (i64 s = 0; s < most_rows(); ++s)
      if (used_[s] < clock_ && (oldest < 0 || used_[s] < used_[oldest])) oldest = s;
    return oldest;  // callers take at most `most_rows` rows at once
  }

  double bytes_;
  i64 stride_ = 0, next_ = 0, clock_ = 0, computed_ = 0;
  std::vector<i64> slot_of_, row_of_, used_;
  i64 size_ = 0;
  std::unique_ptr<float[]> data_;
};

}  // namespace empirisk
