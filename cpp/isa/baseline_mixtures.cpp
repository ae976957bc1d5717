#define EMPIRISK_ISA baseline
#include "mixtures/variant.hpp"
