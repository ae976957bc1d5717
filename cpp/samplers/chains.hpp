// Runs of several chains: the transitions of each, and the search for its step.
#pragma once
#include <algorithm>
#include <memory>

#include "samplers/dual_averaging.hpp"
#include "samplers/hamiltonian.hpp"
#include "samplers/langevin.hpp"
#include "samplers/no_u_turn.hpp"
#include "samplers/random_walk.hpp"

namespace empirisk {

enum class Move { random_walk, unadjusted_langevin, adjusted_langevin, hamiltonian, no_u_turn };
constexpr const char* move_names[] = {"random_walk", "ula", "mala", "hmc", "nuts"};
constexpr std::int64_t told_columns = 7;  // acceptance, gradients, depth, divergent, U, step, energy

// A piece of a run: `count` transitions of one chain from step number `first`.
struct ChainRun {
  Move move = Move::no_u_turn;
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint64_t first = 0;
  std::int64_t count = 0, thin = 1;
  bool search = false;  // for the step
  double wanted = 0.8;  // mean acceptance
  Proposal how;
  double* w = nullptr;       // (d) where it stands
  double* grad = nullptr;    // (d)
  double* u = nullptr;       // (1)
  double* step = nullptr;    // (5) a StepSearch
  double* draws = nullptr;   // (count / thin, d), or null
  double* told = nullptr;    // (count / thin, told_columns)
};

inline Told one_move(Potential& target, Place& at, const ChainRun& run, const Proposal& how, Philox& rng) {
  switch (run.move) {
    case Move::random_walk: return random_walk(target, at, how, rng);
    case Move::unadjusted_langevin: return langevin(target, at, how, rng, false);
    case Move::adjusted_langevin: return langevin(target, at, how, rng, true);
    case Move::hamiltonian: return hamiltonian(target, at, how, rng);
    case Move::no_u_turn: return NoUTurn(target, how, rng).move(at);
  }
  return {};
}

inline void run_chain(Potential& target, const ChainRun& run) {
  const std::int64_t d = target.size;
  Place at(d);
  std::copy(run.w, run.w + d, at.w.begin());
  std::copy(run.grad, run.grad + d, at.grad.begin());
  at.u = *run.u;
  StepSearch& search = *reinterpret_cast<StepSearch*>(run.step);
  for (std::int64_t i = 0; i < run.count; ++i) {
    Philox rng(run.seed, run.chain, run.first + std::uint64_t(i));
    Proposal how = run.how;
    how.step = std::exp(search.log_step);
    const Told told = one_move(target, at, run, how, rng);
    if (run.search) learn(search, told.taught < 0.0 ? told.acceptance : told.taught, run.wanted);
    if ((i + 1) % run.thin) continue;
    const std::int64_t row = i / run.thin;
    if (run.draws) std::copy(at.w.begin(), at.w.end(), run.draws + row * d);
    const double line[told_columns] = {told.acceptance, told.steps, told.depth, double(told.divergent), at.u, how.step, told.energy};
    if (run.told) std::copy(line, line + told_columns, run.told + row * told_columns);
  }
  std::copy(at.w.begin(), at.w.end(), run.w);
  std::copy(at.grad.begin(), at.grad.end(), run.grad);
  *run.u = at.u;
}

// A step at which one transition is accepted about as often as not: doubled or halved from `step` until that changes
// (Hoffman and Gelman 2014, algorithm 4). The chain stays where it is.
inline double first_step(Potential& target, const ChainRun& run, double step) {
  Place start(target.size);
  std::copy(run.w, run.w + target.size, start.w.begin());
  std::copy(run.grad, run.grad + target.size, start.grad.begin());
  start.u = *run.u;
  Proposal how = run.how;
  how.most_steps = 1;
  how.length = 0.0;
  const bool path = run.move == Move::hamiltonian || run.move == Move::no_u_turn;
  const Move move = path ? Move::hamiltonian : run.move == Move::unadjusted_langevin ? Move::adjusted_langevin : run.move;
  ChainRun trial = run;
  trial.move = move;
  int direction = 0;
  for (int i = 0; i < 100; ++i) {
    Place at = start;
    // Other numbers each time: at the border of a support one direction may be outside for every length.
    Philox rng(run.seed, run.chain, ~(run.first + (std::uint64_t(i) << 48)));
    how.step = step;
    const int wanted = one_move(target, at, trial, how, rng).acceptance > 0.5 ? 1 : -1;
    if (direction && wanted != direction) break;
    direction = wanted;
    step *= direction > 0 ? 2.0 : 0.5;
  }
  return step;
}

}  // namespace empirisk
