#include "CSandbox.h"

#include <stddef.h>

#if defined(__linux__)
// The target CofferSandbox defines it. An app that does not depend on that links no library of the bus.
extern void *coffer_broker_connection(void) __attribute__((weak));

void *coffer_make_broker_connection(void) {
  return coffer_broker_connection ? coffer_broker_connection() : NULL;
}
#else
void *coffer_make_broker_connection(void) { return NULL; }
#endif
