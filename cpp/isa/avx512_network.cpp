#define EMPIRISK_ISA avx512
#include "network/variant.hpp"
