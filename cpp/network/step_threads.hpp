// How many threads a step of training is worth. On an idle machine two threads halve it; where other programs use the cores the
// threads of each product wait for each other, and a step takes many times as long. Which of the two holds is measured while steps
// are taken: their numbers do not depend on it.
#pragma once
#include <chrono>

#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

class StepThreads {
 public:
  // `work` multiplications a step.
  explicit StepThreads(i64 work) : work_(work) {}

  // What the steps of this thread found out, with the last ones of as much work.
  template <class T>
  static StepThreads& here(i64 work) {
    static thread_local StepThreads last(0);
    if (last.work_ != work) last = StepThreads(work);
    last.open_ = threads_for(work, 2) > 1;  // the limit may have moved
    return last;
  }

  // Threads for a part of a step.
  int of(i64 work, i64 chunks) const { return many_ ? threads_for(4 * work, chunks) : 1; }

  void begin() {
    if (open_) began_ = Clock::now();
  }

  // After a step: a few are taken by one thread and as many by all; the better way is kept for a while.
  void end() {
    if (!open_) return;
    seconds_ += std::chrono::duration<double>(Clock::now() - began_).count();
    const bool lost = many_ && seconds_ > double(stretch_) * mean_[0];  // before the stretch is over
    if (++taken_ < stretch_ && !lost) return;
    mean_[many_] = seconds_ / double(taken_);
    kept_ += taken_;
    seconds_ = 0.0, taken_ = 0;
    if (many_ && mean_[1] < mean_[0]) {
      rest_ = shortest;
      stretch_ = look;
      if (kept_ >= longest / 8) turn(false, trial);  // one thread may have become the better one
    } else if (many_) {
      turn(false, rest_);
      rest_ = least<i64>(2 * rest_, longest);
    } else {
      turn(true, trial);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr i64 trial = 4, look = 16, shortest = 64, longest = 2048;  // steps

  i64 work_;
  bool open_ = false, many_ = false;
  i64 taken_ = 0, stretch_ = trial, kept_ = 0, rest_ = shortest;
  double seconds_ = 0.0, mean_[2] = {};
  Clock::time_point began_;

  void turn(bool many, i64 stretch) { many_ = many, stretch_ = stretch, kept_ = 0; }
};

}  // namespace empirisk::EMPIRISK_ISA
