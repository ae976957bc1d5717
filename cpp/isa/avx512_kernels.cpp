#define EMPIRISK_ISA avx512
#include "kernels/variant.hpp"
