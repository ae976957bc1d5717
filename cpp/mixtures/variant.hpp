// The loops of mixtures: expected statistics of the parts, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "mixtures/gaussian.hpp"
#include "mixtures/mixture_table.hpp"

namespace empirisk::EMPIRISK_ISA {

MixtureLoops mixture_loops(const char* name) { return {name, gaussian_pass}; }

}  // namespace empirisk::EMPIRISK_ISA
