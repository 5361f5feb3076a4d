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

int coffer_test_await_end(pid_t child, int milliseconds) {
#ifdef __linux__
  int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
  if (descriptor >= 0) {
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    while (poll(&ended, 1, milliseconds) < 0 && errno == EINTR) {
    }
    close(descriptor);
    return has_ended(child);
  }
#endif
  for (int waited = 0; !has_ended(child) && waited < milliseconds; waited += 5) usleep(5000);
  return has_ended(child);
}
