// Counter-based random numbers: Philox 4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3,
// SC 2011). A stream is named by seed, chain and step, so that the same draws come for any number of threads and any way in which
// a run is cut into pieces.
#pragma once
#include <cmath>
#include <cstdint>

namespace empirisk {

class Philox {
 public:
  Philox(std::uint64_t seed, std::uint32_t chain, std::uint64_t step)
      : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, counter_{0, std::uint32_t(step), std::uint32_t(step >> 32), chain} {}

  // A number strictly between 0 and 1, on a grid of 2^-53.
  double uniform() {
    const std::uint64_t high = next(), low = next();
    return (double((high << 21) ^ (low >> 11)) + 0.5) * 0x1p-53;
  }

  // Standard normal, two at a time (Box and Muller, Annals of Mathematical Statistics 29, 1958).
  double normal() {
    if (kept_) {
      kept_ = false;
      return other_;
    }
    const double radius = std::sqrt(-2.0 * std::log(uniform())), angle = 6.283185307179586477 * uniform();
    other_ = radius * std::sin(angle);
    kept_ = true;
    return radius * std::cos(angle);
  }

  std::uint32_t next() {
    if (left_ == 0) fill<1>();
    return out_[--left_];
  }

  // Make the next numbers ready, several blocks at a time, which do not wait for each other. The stream is the same.
  void prepare(std::int64_t count) {
    if (count >= 4 * together && left_ == 0) fill<together>();
  }

 private:
  static constexpr int together = 4;

  template <int B>
  void fill() {
    std::uint32_t c[4][B], k[2] = {key_[0], key_[1]};
    for (int b = 0; b < B; ++b) {
      c[0][b] = counter_[0]++;
      for (int i = 1; i < 4; ++i) c[i][b] = counter_[i];
    }
    for (int round = 0; round < 10; ++round) {
      for (int b = 0; b < B; ++b) {
        const std::uint64_t x = std::uint64_t(0xD2511F53u) * c[0][b], y = std::uint64_t(0xCD9E8D57u) * c[2][b];
        c[0][b] = std::uint32_t(y >> 32) ^ c[1][b] ^ k[0];
        c[2][b] = std::uint32_t(x >> 32) ^ c[3][b] ^ k[1];
        c[1][b] = std::uint32_t(y);
        c[3][b] = std::uint32_t(x);
      }
      k[0] += 0x9E3779B9u;
      k[1] += 0xBB67AE85u;
    }
    left_ = 4 * B;
    for (int b = 0; b < B; ++b)
      for (int i = 0; i < 4; ++i) out_[left_ - 1 - (4 * b + i)] = c[i][b];
  }

  std::uint32_t key_[2], counter_[4], out_[4 * together] = {};
  int left_ = 0;
  double other_ = 0.0;
  bool kept_ = false;
};

}  // namespace empirisk
