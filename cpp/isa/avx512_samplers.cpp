#define EMPIRISK_ISA avx512
#include "samplers/variant.hpp"
