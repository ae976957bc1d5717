#define EMPIRISK_ISA baseline
#include "kernels/variant.hpp"
