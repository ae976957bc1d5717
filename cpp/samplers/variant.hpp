// The loops of samplers for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "samplers/batch_pass.hpp"
#include "samplers/lower_products.hpp"

namespace empirisk::EMPIRISK_ISA {

SamplerLoops sampler_loops(const char* name) { return {name, ask_rows, batch_pass, lower_product, upper_product}; }

}  // namespace empirisk::EMPIRISK_ISA
