#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/prctl.h>
#else
#include <crt_externs.h>
#endif

int coffer_harden_process(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
#if defined(__linux__)
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
#endif
  return 0;
}

int coffer_is_secure_execution(void) {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#else
  return issetugid();
#endif
}

int coffer_open_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

char **coffer_environment(void) {
#if defined(__linux__)
  return environ;
#else
  return *_NSGetEnviron();
#endif
}

int coffer_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

int coffer_open_network_watch(void) {
#if defined(__linux__)
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    int number = errno;
    close(descriptor);
    return -number;
  }
  return descriptor;
#else
  return -ENOTSUP;
#endif
}
