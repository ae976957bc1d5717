#define EMPIRISK_ISA avx2
#include "linkage/variant.hpp"
