// Hamiltonian paths by the leapfrog rule, for the energy  H = U(w) + p' C p / 2.
#pragma once
#include "samplers/transition.hpp"

namespace empirisk {

struct Phase {
  Place place;
  std::vector<double> p, velocity, room;

  explicit Phase(std::int64_t d) : place(d), p(d), velocity(d), room(d) {}

  void set_velocity(const Metric& metric) { metric.velocity(p.data(), velocity.data(), room.data()); }

  double energy() const {
    double kinetic = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) kinetic += p[i] * velocity[i];
    const double h = place.u + 0.5 * kinetic;
    return std::isnan(h) ? std::numeric_limits<double>::infinity() : h;
  }

  void leap(Potential& target, const Metric& metric, double step) {
    const std::size_t d = p.size();
    for (std::size_t i = 0; i < d; ++i) p[i] -= 0.5 * step * place.grad[i];
    set_velocity(metric);
    for (std::size_t i = 0; i < d; ++i) place.w[i] += step * velocity[i];
    place.ask(target);
    for (std::size_t i = 0; i < d; ++i) p[i] -= 0.5 * step * place.grad[i];
    set_velocity(metric);
  }
};

// A path of about `length`: with a step that is drawn within a tenth, since a fixed one can fall into step with the target.
inline Told hamiltonian(Potential& target, Place& at, const Proposal& how, Philox& rng) {
  Phase z(target.size);
  z.place = at;
  how.metric.momentum(rng, z.p.data());
  z.set_velocity(how.metric);
  const double start = z.energy(), step = how.step * (0.9 + 0.2 * rng.uniform());
  // Compared as a number: a step that is all but 0 asks for more steps than an integer can count.
  const double wanted = std::ceil(how.length / step);
  const std::int64_t count = wanted < 1.0 ? 1 : wanted < double(how.most_steps) ? std::int64_t(wanted) : how.most_steps;
  std::int64_t taken = 0;
  double end = start, inside = start;
  bool any = false;
  for (; taken < count && end - start <= most_energy;) {
    z.leap(target, how.metric, step);
    end = z.energy();
    ++taken;
    any = any || std::isfinite(end);
    if (std::isfinite(end)) inside = end;
  }
  const bool divergent = !(end - start <= most_energy);
  const double chance = divergent ? 0.0 : at_most_one(start - end);
  // A path that keeps its energy up to the border of the support is refused with steps of any length, and teaches them nothing;
  // one that has changed it may have left the support because its steps are too long.
  const bool border = any && !std::isfinite(end) && std::fabs(start - inside) < 1e-3;
  const double taught = border ? 1.0 : chance;
  const bool moved = rng.uniform() < chance;
  if (moved) at = std::move(z.place);
  return {chance, double(taken), 0.0, divergent, taught, moved ? end : start};
}

}  // namespace empirisk
