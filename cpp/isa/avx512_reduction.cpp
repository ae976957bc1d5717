#define EMPIRISK_ISA avx512
#include "reduction/variant.hpp"
