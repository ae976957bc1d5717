#define EMPIRISK_ISA baseline
#include "linkage/variant.hpp"
