// The extension module: one bind_* function per loop family, nothing else.
#include <nanobind/nanobind.h>

#include "bind/bind.hpp"

NB_MODULE(_loops, m) {
  nanobind::set_leak_warnings(false);  // objects that live until the interpreter ends are no faults
  m.doc() = "Compiled loops of empirisk. Shapes are checked here; values are validated in Python.";
  empirisk::bind_threads(m);
  empirisk::bind_clusters(m);
  empirisk::bind_cluster_line(m);
  empirisk::bind_columns(m);
  empirisk::bind_coordinate(m);
  empirisk::bind_dual_ascent(m);
  empirisk::bind_gram(m);
  empirisk::bind_kernels(m);
  empirisk::bind_linkage(m);
  empirisk::bind_matvec(m);
  empirisk::bind_medoids(m);
  empirisk::bind_mixtures(m);
  empirisk::bind_neighbors(m);
  empirisk::bind_neighbor_trees(m);
  empirisk::bind_neighbor_windows(m);
  empirisk::bind_network(m);
  empirisk::bind_passes(m);
  empirisk::bind_perceptron(m);
  empirisk::bind_reduction(m);
  empirisk::bind_resample(m);
  empirisk::bind_samplers(m);
  empirisk::bind_smo(m);
  empirisk::bind_stochastic(m);
  empirisk::bind_stochastic_samplers(m);
  empirisk::bind_trees_bins(m);
  empirisk::bind_trees_boost(m);
  empirisk::bind_trees_leaves(m);
  empirisk::bind_trees_shuffle(m);
  empirisk::bind_trees_exact(m);
  empirisk::bind_trees_forest(m);
  empirisk::bind_trees_optimal(m);
  empirisk::bind_trees_stumps(m);
}
