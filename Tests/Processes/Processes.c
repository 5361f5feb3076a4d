#define _GNU_SOURCE
#include "CTestProcesses.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

static int has_ended(pid_t child) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

int coffer_test_await_end_of_other(pid_t process, int milliseconds) {
#ifdef __linux__
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  if (descriptor < 0) return errno == ESRCH ? 1 : -1;
  struct pollfd ended = {.fd = descriptor, .events = POLLIN};
  int count;
  do count = poll(&ended, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  close(descriptor);
  return count;
#else
  (void)process;
  (void)milliseconds;
  return -1;
#endif
}

int coffer_test_await_end(pid_t child, int milliseconds) {
  if (coffer_test_await_end_of_other(child, milliseconds) >= 0) return has_ended(child);
  for (int waited = 0; !has_ended(child) && waited < milliseconds; waited += 5) usleep(5000);
  return has_ended(child);
}

void coffer_test_withhold_descriptors(posix_spawn_file_actions_t *actions) {
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
#endif
  (void)actions;
}
