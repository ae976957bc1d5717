// The score of a growing set of rows of K classes: adding a row costs O(1) and nothing cancels.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace empirisk {

// x log x as whole multiples of a unit, so that sums of differences are exact. Weights are counted in units of their mean.
class WholeLogs {
 public:
  WholeLogs() = default;
  WholeLogs(std::int64_t n, double total, bool weighted) : mean_(weighted ? total / double(n) : 1.0) {
    const double largest = std::fmax(double(n) * std::log(double(n)), 1.0);
    scale_ = std::ldexp(1.0, 60 - std::ilogb(largest)), unit_ = mean_ / scale_;
    if (weighted) return;
    auto table = std::make_shared<std::vector<std::int64_t>>(std::size_t(n) + 1);
    for (std::int64_t i = 0; i <= n; ++i) (*table)[std::size_t(i)] = compute(double(i));
    table_ = table, first_ = table->data();
  }
  std::int64_t of_count(double x) const { return first_[std::int64_t(x)]; }
  std::int64_t of_weight(double x) const { return compute(x / mean_); }
  double unit() const { return unit_; }

 private:
  std::int64_t compute(double x) const { return x > 0.0 ? std::int64_t(x * std::log(x) * scale_) : 0; }

  double mean_ = 1.0, scale_ = 1.0, unit_ = 1.0;
  std::shared_ptr<const std::vector<std::int64_t>> table_;
  const std::int64_t* first_ = nullptr;
};

struct TallyBase {
  std::vector<double> s;  // weight of each class
  double b = 0.0;
};

struct GiniTally : TallyBase {  // sum s^2 / b - b
  double square = 0.0;
  void clear(int k) { s.assign(std::size_t(k), 0.0), b = square = 0.0; }
  void add(std::size_t c, double w) { square += w * (2.0 * s[c] + w), s[c] += w, b += w; }
  double score() const { return b > 0.0 ? square / b - b : 0.0; }
};

struct ErrorTally : TallyBase {  // max s - b
  double top = 0.0;
  void clear(int k) { s.assign(std::size_t(k), 0.0), b = top = 0.0; }
  void add(std::size_t c, double w) { s[c] += w, b += w, top = std::max(top, s[c]); }
  double score() const { return top - b; }
};

template <bool Weighted>
struct EntropyTally : TallyBase {  // sum s log s - b log b
  const WholeLogs* logs = nullptr;
  std::vector<std::int64_t> of_class;
  std::int64_t sum = 0;
  std::int64_t whole(double x) const { return Weighted ? logs->of_weight(x) : logs->of_count(x); }
  void clear(int k) { s.assign(std::size_t(k), 0.0), of_class.assign(std::size_t(k), 0), b = 0.0, sum = 0; }
  void add(std::size_t c, double w) {
    s[c] += w, b += w;
    const std::int64_t now = whole(s[c]);
    sum += now - of_class[c], of_class[c] = now;
  }
  double score() const { return double(sum - whole(b)) * logs->unit(); }
};

}  // namespace empirisk
