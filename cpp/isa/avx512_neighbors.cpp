#define EMPIRISK_ISA avx512
#include "neighbors/variant.hpp"
