#define EMPIRISK_ISA avx512
#include "linkage/variant.hpp"
