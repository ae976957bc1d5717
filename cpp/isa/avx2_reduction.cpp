#define EMPIRISK_ISA avx2
#include "reduction/variant.hpp"
