#define EXTERN
#include "owned.h"

enum side opposite(enum side of) {
  ++owned_table[3];
  return 1 - of;
}
