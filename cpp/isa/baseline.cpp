#define EMPIRISK_ISA baseline
#include "isa/variant.hpp"
