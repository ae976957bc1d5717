#define EMPIRISK_ISA avx2
#include "samplers/variant.hpp"
