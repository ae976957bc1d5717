// The loops that train networks, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "network/train.hpp"

namespace empirisk::EMPIRISK_ISA {

NetworkLoops network_loops(const char* name) { return {name, network_steps}; }

}  // namespace empirisk::EMPIRISK_ISA
