#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#else
#include <crt_externs.h>
#endif

int coffer_harden_process(int keeps_core_limit) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
  struct rlimit none = {0, 0}, current;
  if (keeps_core_limit && getrlimit(RLIMIT_CORE, &current) == 0) none.rlim_max = current.rlim_max;
  if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
#if defined(__linux__)
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
#endif
  return 0;
}

int coffer_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
  if (limit.rlim_cur >= 4096) return 0;
  limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

int coffer_is_secure_execution(void) {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#else
  return issetugid();
#endif
}

#if defined(__linux__)
// The kernel has counted no locks since Linux 2.4.25, and keeps the limit: children and other programs inherit it, and
// only root raises a hard limit again. Nobody sets this one: it is "Coffer" in ASCII.
static const rlim_t tree_mark = 0x436f66666572;

int coffer_mark_tree(void) {
  struct rlimit limit = {tree_mark, tree_mark}, current;
  if (getrlimit(RLIMIT_LOCKS, &current) != 0) return errno;
  if (current.rlim_max <= tree_mark) return 0;
  return setrlimit(RLIMIT_LOCKS, &limit) == 0 ? 0 : errno;
}

// A marked process can lower the limit further.
int coffer_is_tree_mark(unsigned long long limit) { return limit <= tree_mark; }

int coffer_has_tree_mark(void) {
  struct rlimit current;
  return getrlimit(RLIMIT_LOCKS, &current) != 0 || coffer_is_tree_mark(current.rlim_max);
}
#else
int coffer_mark_tree(void) { return ENOTSUP; }
int coffer_is_tree_mark(unsigned long long limit) { (void)limit; return 0; }
int coffer_has_tree_mark(void) { return 0; }
#endif

// The arguments where the kernel reads them. Swift has copies.
static int argument_count;
static char **arguments;

#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void remember_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}
#endif

void coffer_hide_in_arguments(const void *bytes, size_t count) {
  if (count == 0) return;
  for (int i = 1; i < argument_count; i++) {
    size_t length = strlen(arguments[i]);
    for (size_t start = 0; start + count <= length; start++) {
      if (memcmp(arguments[i] + start, bytes, count) == 0) memset(arguments[i] + start, '*', count);
    }
  }
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

int coffer_exchange_names(const char *first, const char *second) {
#if defined(__linux__)
  // Not glibc's function, which musl lacks. The flag is RENAME_EXCHANGE of the kernel's headers.
  return syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, 1u << 1) == 0 ? 0 : errno;
#else
  return renamex_np(first, second, RENAME_SWAP) == 0 ? 0 : errno;
#endif
}

int coffer_create_unnamed_file(const char *folder) {
#if defined(__linux__)
  int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  return descriptor < 0 ? -errno : descriptor;
#else
  return -ENOTSUP;
#endif
}

int coffer_replace_file(const char *path, const char *temporary, int descriptor) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  int result = 0;
#if defined(__linux__)
  if (descriptor >= 0) {
    // AT_EMPTY_PATH needs a capability.
    char own[32];
    snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
    result = linkat(AT_FDCWD, own, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW);
  }
#endif
  int number = result == 0 ? 0 : errno;
  if (number == 0 && rename(temporary, path) != 0) {
    number = errno;
    unlink(temporary);
  }
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return number;
}

char **coffer_environment(void) {
#if defined(__linux__)
  return environ;
#else
  return *_NSGetEnviron();
#endif
}

#if defined(__linux__)
// Runs in the child, which has the parent's memory or a copy of it, with locks that other threads may hold: only
// functions that are safe in a signal handler.
static int become(const char *program, char *const arguments[], char *const environment[], const int streams[3],
                  int searches_path, int leads_group, pid_t parent) {
  // What a setgid program starts must not be able to read what only that program may.
  gid_t own = getgid();
  // Not setegid, which would wait for the threads of the parent.
  if (getegid() != own && syscall(SYS_setresgid, -1, own, own) != 0) return errno;
  if (leads_group && setpgid(0, 0) != 0) return errno;
  if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0) return errno;
  // The parent may have ended before. It has the number 0 if it belongs to another namespace.
  pid_t current = getppid();
  if (current != parent && current != 0) return ESRCH;
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  for (int number = 0; number < 3; number++) {
    if (dup2(streams[number], number) < 0) return errno;
  }
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
  if (searches_path) {
    execvpe(program, arguments, environment);
  } else {
    execve(program, arguments, environment);
  }
  return errno;
}
#endif

int coffer_start_bound(int *identifier, const char *program, char *const arguments[], char *const environment[],
                       const int streams[3], int searches_path, int leads_group) {
#if defined(__linux__)
  // The child reports through it why it could not start; exec closes it.
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t parent = getpid();
  // No handler of this process runs in the child.
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  // To copy the tables of its memory takes a large process milliseconds. A setgid process needs the copy: its child
  // gives the group up, and whoever may then trace the child must not find the memory of the parent.
  pid_t child = getegid() == getgid() ? vfork() : fork();
  int number = child < 0 ? errno : 0;
  if (child == 0) {
    number = become(program, arguments, environment, streams, searches_path, leads_group, parent);
    ssize_t written = write(ends[1], &number, sizeof number);
    _exit(written == sizeof number ? 127 : 126);
  }
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  close(ends[1]);
  if (child > 0) {
    ssize_t count;
    do { count = read(ends[0], &number, sizeof number); } while (count < 0 && errno == EINTR);
    if (count != sizeof number) number = 0;
    if (number != 0) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    } else {
      *identifier = child;
    }
  }
  close(ends[0]);
  return number;
#else
  return ENOTSUP;
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

int coffer_open_clock_watch(void) {
#if defined(__linux__)
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (descriptor < 0) return -errno;
  if (coffer_arm_clock_watch(descriptor) == 0) return descriptor;
  int number = errno;
  close(descriptor);
  return -number;
#else
  return -ENOTSUP;
#endif
}

int coffer_arm_clock_watch(int descriptor) {
#if defined(__linux__)
  // It is set for a time that never comes. The kernel cancels it when the clock jumps, also after a suspension.
  struct itimerspec never = {.it_value = {.tv_sec = 9000000000}};
  int result = timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
  // The clock has jumped meanwhile, which the caller is about to look at.
  return result == 0 || errno == ECANCELED ? 0 : -1;
#else
  return -1;
#endif
}

int coffer_next_option(int count, char *const words[], const char *known, int is_first, const char **value, int *next) {
  if (is_first) {
#if defined(__linux__)
    optind = 0;
#else
    optreset = 1;
    optind = 1;
#endif
  }
  opterr = 0;
  int option = getopt(count, words, known);
  *value = optarg;
  *next = optind;
  return option == ':' ? -optopt : option;
}
