#define EMPIRISK_ISA baseline
#include "loops/variant.hpp"
