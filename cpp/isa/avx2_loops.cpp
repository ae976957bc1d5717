#define EMPIRISK_ISA avx2
#include "loops/variant.hpp"
