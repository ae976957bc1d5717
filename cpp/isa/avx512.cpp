#define EMPIRISK_ISA avx512
#include "isa/variant.hpp"
