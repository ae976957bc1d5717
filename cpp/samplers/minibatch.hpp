// Rows of a linear target drawn at random, and the estimate of its gradient from them.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "samplers/linear_potential.hpp"
#include "samplers/philox.hpp"
#include "samplers/sampler_table.hpp"

namespace empirisk {

// A number from 0 to n - 1, each with the same chance (Lemire, ACM Transactions on Modeling and Computer Simulation 29, 2019).
inline std::uint32_t below(Philox& rng, std::uint32_t n) {
  std::uint64_t product = std::uint64_t(rng.next()) * n;
  for (const std::uint32_t least = std::uint32_t(-n) % n; std::uint32_t(product) < least;) product = std::uint64_t(rng.next()) * n;
  return std::uint32_t(product >> 32);
}

// The rows of the batches of one chain: independent draws, or slices of an order that is drawn anew for every epoch. Both are
// functions of seed, chain and step.
class BatchRows {
 public:
  BatchRows(std::int64_t rows, std::int64_t size, bool replace, std::uint64_t seed, std::uint32_t chain)
      : rows_(std::uint32_t(rows)), size_(size), replace_(replace), seed_(seed), chain_(chain), drawn_(size) {}

  // The rows of a step; `rng` is that of the step.
  const std::uint32_t* of(std::uint64_t step, Philox& rng) {
    if (replace_) {
      for (std::int64_t i = 0; i < size_; ++i) {
        rng.prepare(size_ - i);
        drawn_[std::size_t(i)] = below(rng, rows_);
      }
      return drawn_.data();
    }
    const std::uint64_t batches = rows_ / std::uint64_t(size_);
    if (order_.empty() || step / batches != epoch_) shuffle(step / batches);
    return order_.data() + step % batches * std::uint64_t(size_);
  }

 private:
  void shuffle(std::uint64_t epoch) {
    epoch_ = epoch;
    order_.resize(rows_);
    std::iota(order_.begin(), order_.end(), 0u);
    Philox rng(seed_, chain_, ~(epoch + (std::uint64_t(1) << 62)));  // a stream that no step has
    for (std::uint32_t i = rows_ - 1; i > 0; --i) std::swap(order_[i], order_[below(rng, i + 1)]);
  }

  std::uint32_t rows_;
  std::int64_t size_;
  bool replace_;
  std::uint64_t seed_, epoch_ = 0;
  std::uint32_t chain_;
  std::vector<std::uint32_t> drawn_, order_;
};

// Rows copied side by side, in the number format of X, so that the fused pass reads them like a table of their own.
template <class T, class I>
struct GatheredRows {
  std::vector<T> data;
  std::vector<I> indices, indptr;

  Matrix dense(const Matrix& x, const std::uint32_t* rows, std::int64_t count) {
    data.resize(std::size_t(count * x.cols));
    const T* from = static_cast<const T*>(x.data);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < x.cols; ++j) data[std::size_t(i * x.cols + j)] = from[rows[i] * x.row_stride + j * x.col_stride];
    Matrix out = x;
    out.rows = count;
    out.data = data.data();
    out.row_stride = x.cols;
    out.col_stride = 1;
    return out;
  }

  Matrix compressed(const Matrix& x, const std::uint32_t* rows, std::int64_t count) {
    const T* from = static_cast<const T*>(x.data);
    const I *columns = static_cast<const I*>(x.indices), *starts = static_cast<const I*>(x.indptr);
    data.clear();
    indices.clear();
    indptr.assign(1, I(0));
    for (std::int64_t i = 0; i < count; ++i) {
      const I first = starts[rows[i]], last = starts[rows[i] + 1];
      data.insert(data.end(), from + first, from + last);
      indices.insert(indices.end(), columns + first, columns + last);
      indptr.push_back(I(data.size()));
    }
    Matrix out = x;
    out.rows = count;
    out.data = data.data();
    out.indices = indices.data();
    out.indptr = indptr.data();
    return out;
  }
};

// What is known at a place near the mode: with it the estimate has no noise there, and little nearby (control variates: Baker,
// Fearnhead, Fox and Nemeth, Statistics and Computing 29, 2019).
struct Anchor {
  const double* w = nullptr;      // (d), or null: none
  const double* grad = nullptr;   // (d) gradient of U there
  const double* slope = nullptr;  // (rows) s l' there
};

struct AnchoredLoss {
  LinearLoss inner;
  const double* slope;  // (rows of the batch)
};

inline void anchored_loss(const void* self, std::int64_t first, std::int64_t rows, double* z, std::int64_t ld, double* sums) {
  const AnchoredLoss& f = *static_cast<const AnchoredLoss*>(self);
  loops().linear_loss(&f.inner, first, rows, z, ld, sums);
  const double* slope = f.slope + first;
  double known = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    z[i] -= slope[i];
    known += slope[i];
  }
  sums[1] -= known;
}

// A hint that memory will be read soon.
inline void fetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p, 0, 2);
#endif
}

// Estimates of the gradient of U by batches of rows, each row counted rows / size times.
template <class T, class I>
class Minibatch {
 public:
  Minibatch(const LinearTarget& t, const Anchor& anchor, std::int64_t size)
      : t_(t), anchor_(anchor), y_(size), s_(size), offset_(size), slope_(size), size_(size) {}

  // Asks for what the estimate will read first, so that other work can be done until it is there.
  void ask(const std::uint32_t* rows) const {
    for (const double* numbers : {t_.y, t_.s, t_.offset, anchor_.slope})
      for (std::int64_t i = 0; numbers && i < size_; ++i) fetch(numbers + rows[i]);
    if (in_place()) sampler_loops().ask_rows(t_.x, rows, size_);
  }

  void estimate(const std::uint32_t* rows, const double* w, double* grad) {
    const Matrix& x = t_.x;
    pick(t_.y, rows, y_);
    const double *s = pick(t_.s, rows, s_), *offset = pick(t_.offset, rows, offset_), *slope = pick(anchor_.slope, rows, slope_);
    const std::int64_t p = x.cols;
    const double b = t_.intercept ? w[p] : 0.0;
    const AnchoredLoss f{{t_.loss, t_.parameter, y_.data(), s, offset, b, nullptr, nullptr, nullptr}, slope};
    double sums[2] = {};
    const RowFunction call = slope ? RowFunction{anchored_loss, &f, 2} : RowFunction{loops().linear_loss, &f.inner, 2};
    if (in_place()) {
      sampler_loops().batch_pass({x, rows, size_, w, grad, sums, call});
    } else {
      const Matrix part = x.storage == Storage::dense ? gathered_.dense(x, rows, size_) : gathered_.compressed(x, rows, size_);
      loops().row_pass(part, RowPass{1, w, grad, sums, call});
    }
    const double scale = t_.loss_scale * double(x.rows) / double(size_);
    for (std::int64_t j = 0; j < p; ++j) {
      const double base = anchor_.w ? anchor_.grad[j] + t_.l2 * (w[j] - anchor_.w[j]) : t_.l2 * w[j];
      grad[j] = scale * grad[j] + base;
    }
    if (t_.intercept) grad[p] = scale * sums[1] + (anchor_.w ? anchor_.grad[p] : 0.0);
  }

 private:
  bool in_place() const { return t_.x.storage == Storage::dense && t_.x.col_stride == 1; }

  const double* pick(const double* from, const std::uint32_t* rows, std::vector<double>& to) const {
    if (!from) return nullptr;
    for (std::int64_t i = 0; i < size_; ++i) to[std::size_t(i)] = from[rows[i]];
    return to.data();
  }

  const LinearTarget& t_;
  Anchor anchor_;
  GatheredRows<T, I> gathered_;
  std::vector<double> y_, s_, offset_, slope_;
  std::int64_t size_;
};

}  // namespace empirisk
