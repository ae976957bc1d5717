#define EMPIRISK_ISA avx2
#include "mixtures/variant.hpp"
