#define EMPIRISK_ISA avx2
#include "clusters/variant.hpp"
