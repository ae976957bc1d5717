#define EMPIRISK_ISA baseline
#include "reduction/variant.hpp"
