#pragma once

#include <spawn.h>
#include <sys/types.h>

/// Waits until a child of this process has ended, without reaping it, for at most a number of milliseconds. Returns
/// whether it has ended.
int coffer_test_await_end(pid_t child, int milliseconds);

/// Waits until any process has ended, also if nobody has reaped it, for at most a number of milliseconds. Returns 1 if
/// it has ended, 0 if it has not, and -1 if the system cannot say.
int coffer_test_await_end_of_other(pid_t process, int milliseconds);

/// Gives a program that is started with these actions no descriptors but its standard streams, if the system can.
void coffer_test_withhold_descriptors(posix_spawn_file_actions_t *actions);
