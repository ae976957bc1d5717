#define EMPIRISK_ISA avx512
#include "loops/variant.hpp"
