// The loops over trees in the table of one instruction set.
#pragma once
#include "trees/packed.hpp"
#include "trees/shap_plan.hpp"

namespace empirisk {

struct TreeLoops {
  void (*leaves)(const LeafPass& pass);
  void (*shap)(const ShapPass& pass);
};

}  // namespace empirisk
