#define EMPIRISK_ISA avx2
#include "neighbors/variant.hpp"
