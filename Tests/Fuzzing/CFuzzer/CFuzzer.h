#ifndef COFFER_CFUZZER_H
#define COFFER_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's driver, which FuzzerInterface.h declares for C++ only.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
