#define EMPIRISK_ISA baseline
#include "neighbors/variant.hpp"
