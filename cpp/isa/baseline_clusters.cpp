#define EMPIRISK_ISA baseline
#include "clusters/variant.hpp"
