#define EMPIRISK_ISA avx2
#include "network/variant.hpp"
