#define EMPIRISK_ISA avx512
#include "clusters/variant.hpp"
