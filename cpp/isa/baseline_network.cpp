#define EMPIRISK_ISA baseline
#include "network/variant.hpp"
