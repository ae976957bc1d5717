#define EMPIRISK_ISA avx2
#include "isa/variant.hpp"
