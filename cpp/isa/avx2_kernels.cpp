#define EMPIRISK_ISA avx2
#include "kernels/variant.hpp"
