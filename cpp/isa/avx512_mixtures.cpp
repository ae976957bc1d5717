#define EMPIRISK_ISA avx512
#include "mixtures/variant.hpp"
