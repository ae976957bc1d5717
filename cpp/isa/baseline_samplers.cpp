#define EMPIRISK_ISA baseline
#include "samplers/variant.hpp"
