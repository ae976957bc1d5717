// Declarations of the bind_* functions: adding a loop family is one file in bind/ and one row here and in module.cpp.
#pragma once
#include <nanobind/nanobind.h>

namespace empirisk {
void bind_threads(nanobind::module_& m);
void bind_clusters(nanobind::module_& m);
void bind_cluster_line(nanobind::module_& m);
void bind_columns(nanobind::module_& m);
void bind_coordinate(nanobind::module_& m);
void bind_dual_ascent(nanobind::module_& m);
void bind_gram(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_linkage(nanobind::module_& m);
void bind_matvec(nanobind::module_& m);
void bind_medoids(nanobind::module_& m);
void bind_mixtures(nanobind::module_& m);
void bind_neighbors(nanobind::module_& m);
void bind_neighbor_trees(nanobind::module_& m);
void bind_neighbor_windows(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_passes(nanobind::module_& m);
void bind_perceptron(nanobind::module_& m);
void bind_reduction(nanobind::module_& m);
void bind_resample(nanobind::module_& m);
void bind_samplers(nanobind::module_& m);
void bind_smo(nanobind::module_& m);
void bind_stochastic(nanobind::module_& m);
void bind_stochastic_samplers(nanobind::module_& m);
void bind_trees_bins(nanobind::module_& m);
void bind_trees_boost(nanobind::module_& m);
void bind_trees_leaves(nanobind::module_& m);
void bind_trees_shuffle(nanobind::module_& m);
void bind_trees_exact(nanobind::module_& m);
void bind_trees_forest(nanobind::module_& m);
void bind_trees_optimal(nanobind::module_& m);
void bind_trees_stumps(nanobind::module_& m);
}
