#pragma once

#include <sys/types.h>

/// Waits until a child of this process has ended, without reaping it, for at most a number of milliseconds. Returns
/// whether it has ended.
int coffer_test_await_end(pid_t child, int milliseconds);
