#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#if defined(__linux__)
#include <pty.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#ifndef SYS_close_range
// The same on all architectures that Swift has.
#define SYS_close_range 436
#endif
#endif

// How `coffer run` becomes or starts the program of its user.

static struct rlimit former_core_limit;
static char is_ignored[NSIG];

void coffer_remember_inherited(void) {
  getrlimit(RLIMIT_CORE, &former_core_limit);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    is_ignored[number] = sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  }
}

int coffer_restore_inherited(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
  // Fails for those whose action cannot change, which have the standard one.
  for (int number = 1; number < NSIG; number++) sigaction(number, is_ignored[number] ? &ignore : &standard, NULL);
  return setrlimit(RLIMIT_CORE, &former_core_limit) == 0 ? 0 : errno;
}

int coffer_withhold_inherited(void) {
#if defined(__linux__)
  // CLOSE_RANGE_CLOEXEC, which glibc 2.31 does not have.
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 1U << 2) != 0) {
    // Linux before 5.11, or a filter of system calls.
    for (int descriptor = STDERR_FILENO + 1; descriptor < 65536; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  // KEYCTL_JOIN_SESSION_KEYRING: a new one. A filter of system calls holds for these programs, too.
  if (syscall(SYS_keyctl, 1, NULL) < 0 && errno != EPERM && errno != ENOSYS) return errno;
#endif
  return 0;
}

int coffer_create_memory_file(const char *name, const void *bytes, size_t count, int is_inherited) {
#if defined(__linux__)
  int descriptor = memfd_create(name, MFD_ALLOW_SEALING | (is_inherited ? 0 : MFD_CLOEXEC));
  if (descriptor < 0) return -errno;
  size_t written = 0;
  while (written < count) {
    ssize_t result = write(descriptor, (const char *)bytes + written, count - written);
    if (result < 0 && errno == EINTR) continue;
    if (result <= 0) break;
    written += (size_t)result;
  }
  // Programs such as ssh refuse files that others may read.
  if (written == count && lseek(descriptor, 0, SEEK_SET) == 0 && fchmod(descriptor, 0400) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
    return descriptor;
  int number = errno;
  close(descriptor);
  return -number;
#else
  return -ENOTSUP;
#endif
}

int coffer_copy_unreadable(const char *path) {
#if defined(__linux__)
  int source = open(path, O_RDONLY | O_CLOEXEC);
  if (source < 0) return errno == EACCES ? -ENOEXEC : -errno;
  char magic[4] = {0};
  ssize_t count = pread(source, magic, sizeof magic, 0);
  int copy = -1, number = count < 0 ? errno : memcmp(magic, "\177ELF", sizeof magic) != 0 ? ENOEXEC : 0;
  if (number == 0) {
    // MFD_EXEC, which glibc 2.36 does not have: a system can forbid the others. Linux before 6.3 does not know it.
    copy = memfd_create("program", MFD_CLOEXEC | 0x10U);
    if (copy < 0 && errno == EINVAL) copy = memfd_create("program", MFD_CLOEXEC);
    if (copy < 0) number = errno;
  }
  if (number == 0) {
    do { count = sendfile(copy, source, NULL, 1 << 30); } while (count > 0 || (count < 0 && errno == EINTR));
    if (count < 0 || fchmod(copy, 0100) != 0) number = errno;
  }
  close(source);
  if (number == 0) return copy;
  if (copy >= 0) close(copy);
  return -number;
#else
  return -ENOTSUP;
#endif
}

int coffer_open_terminal_pair(int like, int *theirs) {
#if defined(__linux__)
  struct termios settings;
  struct winsize window;
  int ends[2];
  if (tcgetattr(like, &settings) != 0 || ioctl(like, TIOCGWINSZ, &window) != 0) return -errno;
  if (openpty(&ends[0], &ends[1], NULL, &settings, &window) != 0) return -errno;
  // No end may be a standard stream of the child.
  int ours = fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  *theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int number = errno;
  close(ends[0]);
  close(ends[1]);
  if (ours < 0 || *theirs < 0) return -number;
  fcntl(ours, F_SETFL, fcntl(ours, F_GETFL) | O_NONBLOCK);
  return ours;
#else
  return -ENOTSUP;
#endif
}

void coffer_copy_window(int from, int to) {
  struct winsize window;
  if (ioctl(from, TIOCGWINSZ, &window) == 0) ioctl(to, TIOCSWINSZ, &window);
}

static struct termios former_settings;

int coffer_begin_raw(int terminal) {
  return tcgetattr(terminal, &former_settings) == 0 ? coffer_continue_raw(terminal) : errno;
}

int coffer_continue_raw(int terminal) {
  struct termios raw = former_settings;
  cfmakeraw(&raw);
  return tcsetattr(terminal, TCSADRAIN, &raw) == 0 ? 0 : errno;
}

void coffer_end_raw(int terminal) { tcsetattr(terminal, TCSADRAIN, &former_settings); }

// The signals that a program which is observed gets from its observer.
static const int observed_signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH, SIGCHLD};

#if defined(__linux__)
static sigset_t observed_set(void) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof observed_signals / sizeof *observed_signals; i++) sigaddset(&set, observed_signals[i]);
  return set;
}
#endif

int coffer_open_signals(void) {
#if defined(__linux__)
  sigset_t set = observed_set();
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -errno;
  int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
#else
  return -ENOTSUP;
#endif
}

void coffer_close_signals(int descriptor) {
#if defined(__linux__)
  close(descriptor);
  sigset_t set = observed_set();
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
}

int coffer_next_signal(int descriptor, int *is_from_program) {
#if defined(__linux__)
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != sizeof info) return 0;
  *is_from_program = info.ssi_code <= 0;
  return (int)info.ssi_signo;
#else
  return 0;
#endif
}

#if defined(__linux__)
// From here on, code runs in a child, beside copies of locks that other threads may hold: only functions that are safe
// in a signal handler.

// Writes the number of this process into the entries `NAME=/proc/0000000000/fd/N`, and leaves all others alone.
static void name_process(const coffer_observed_program *program) {
  char digits[10];
  size_t count = 0;
  for (pid_t rest = getpid(); rest > 0 && count < sizeof digits; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  for (int i = 0; i < program->held_count; i++) {
    char *number = strstr(program->environment[program->held_entries[i]], "=/proc/0000000000/fd/");
    if (number == NULL) continue;
    number += strlen("=/proc/");
    char *end = strchr(number, '/');
    for (size_t position = 0; position < count; position++) number[position] = digits[count - 1 - position];
    memmove(number + count, end, strlen(end) + 1);
  }
}

static int become(const coffer_observed_program *program) {
  int number = coffer_restore_inherited();
  if (number != 0) return number;
  for (int stream = 0; stream < 3; stream++) {
    if (program->streams[stream] != stream && dup2(program->streams[stream], stream) < 0) return errno;
  }
  name_process(program);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvpe(program->arguments[0], program->arguments, program->environment);
  return errno;
}

static _Noreturn void report_failure(int pipe, int number) {
  ssize_t written = write(pipe, &number, sizeof number);
  _exit(written == sizeof number ? 127 : 126);
}

static void close_between(int first, int last) {
  if (first > last || syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0) == 0) return;
  // Linux before 5.9, or a filter of system calls.
  for (int descriptor = first; descriptor <= last && descriptor < 65536; descriptor++) close(descriptor);
}

static void close_all_but(int one, int other) {
  int first = one < other ? one : other, second = one < other ? other : one;
  close_between(0, first - 1);
  close_between(first + 1, second - 1);
  close_between(second + 1, INT_MAX);
}

static void wipe_between(char *start, char *end, const char *secret, const size_t *sizes, int secret_count) {
  for (int i = 0; i < secret_count; i++) {
    char *found = start;
    while ((found = memmem(found, (size_t)(end - found), secret, sizes[i])) != NULL) {
      explicit_bzero(found, sizes[i]);
      found += sizes[i];
    }
    secret += sizes[i];
  }
}

// Overwrites the secrets in the memory of this process that it can write and that is of no file, also in what was
// freed.
static void wipe_secrets(const coffer_observed_program *program) {
  int secret_count = program->secret_count;
  if (secret_count <= 0) return;
  size_t secrets_size = 0, sizes_size = (size_t)secret_count * sizeof(size_t);
  for (int i = 0; i < secret_count; i++) secrets_size += program->secret_sizes[i];
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  // In shared memory, which is left out: what is looked for, and text that must not change while it is read.
  struct { char chunk[4096], line[64]; size_t sizes[]; } *own;
  size_t size = sizeof *own + sizes_size + secrets_size;
  own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (own == MAP_FAILED) {
    close(maps);
    return;
  }
  char *secrets = (char *)own->sizes + sizes_size;
  memcpy(own->sizes, program->secret_sizes, sizes_size);
  memcpy(secrets, program->secrets, secrets_size);
  size_t length = 0;
  int is_of_file = 0;
  ssize_t count;
  // A line is: START-END rw-p OFFSET DEVICE INODE NAME
  while ((count = read(maps, own->chunk, sizeof own->chunk)) > 0) {
    for (ssize_t i = 0; i < count; i++) {
      char byte = own->chunk[i];
      if (byte != '\n') {
        if (byte == '/') is_of_file = 1;
        if (length < sizeof own->line - 1) own->line[length++] = byte;
        continue;
      }
      own->line[length] = 0;
      char *rest;
      uintptr_t start = strtoul(own->line, &rest, 16);
      uintptr_t end = *rest == '-' ? strtoul(rest + 1, &rest, 16) : start;
      // What is larger is the shadow memory of a sanitizer.
      if (!is_of_file && end > start && end - start <= 1u << 30 && strncmp(rest, " rw-p", 5) == 0)
        wipe_between((char *)start, (char *)end, secrets, own->sizes, secret_count);
      length = 0;
      is_of_file = 0;
    }
  }
  close(maps);
  explicit_bzero(own, size);
  munmap(own, size);
}

// The leader of the session on the terminal: without it, the program would have no parent in its session, and Ctrl-Z
// would not stop it. It ends with the observer, and its end hangs up the terminal of the program.
static _Noreturn void lead_session(const coffer_observed_program *program, int failure, int control, pid_t observer) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  // It gives the terminal to the program while it is in the background itself.
  sigaction(SIGTTOU, &ignore, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0) != 0) report_failure(failure, errno);
  // The observer may have ended before. It has the number 0 if it belongs to another namespace.
  pid_t current = getppid();
  if (current != observer && current != 0) report_failure(failure, ESRCH);
  if (setsid() < 0 || ioctl(program->terminal, TIOCSCTTY, 0) != 0) report_failure(failure, errno);
  pid_t child = fork();
  if (child < 0) report_failure(failure, errno);
  if (child == 0) {
    setpgid(0, 0);
    tcsetpgrp(program->terminal, getpid());
    report_failure(failure, become(program));
  }
  setpgid(child, child);
  // This process runs no other program, so it has what exec would close: other ends of the terminal and of the pipes,
  // which would stay open after the observer has closed its own.
  close_all_but(program->terminal, control);
  if (write(control, &child, sizeof child) != sizeof child) _exit(126);
  wipe_secrets(program);
  while (1) {
    int status;
    pid_t result = waitpid(child, &status, WUNTRACED);
    if (result < 0 && errno == EINTR) continue;
    if (result < 0 || write(control, &status, sizeof status) != sizeof status) _exit(126);
    if (!WIFSTOPPED(status)) _exit(0);
    char order;
    ssize_t count;
    do { count = read(control, &order, 1); } while (count < 0 && errno == EINTR);
    if (count != 1) {
      kill(-child, SIGHUP);
      kill(-child, SIGCONT);
      _exit(126);
    }
    tcsetpgrp(program->terminal, child);
    kill(-child, SIGCONT);
  }
}
#endif

int coffer_start_observed(const coffer_observed_program *program, pid_t *identifier, int *control) {
#if defined(__linux__)
  int failure[2], reports[2] = {-1, -1};
  if (pipe2(failure, O_CLOEXEC) != 0) return errno;
  if (program->terminal >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reports) != 0) {
    int number = errno;
    close(failure[0]);
    close(failure[1]);
    return number;
  }
  pid_t observer = getpid();
  pid_t child = fork();
  int number = child < 0 ? errno : 0;
  if (child == 0) {
    close(failure[0]);
    if (program->terminal < 0) report_failure(failure[1], become(program));
    close(reports[0]);
    lead_session(program, failure[1], reports[1], observer);
  }
  close(failure[1]);
  if (program->terminal >= 0) close(reports[1]);
  if (child > 0) {
    ssize_t count;
    do { count = read(failure[0], &number, sizeof number); } while (count < 0 && errno == EINTR);
    if (count != sizeof number) number = 0;
    if (number == 0 && program->terminal >= 0) {
      do { count = read(reports[0], &child, sizeof child); } while (count < 0 && errno == EINTR);
      if (count != sizeof child) number = EIO;
    } else if (number != 0) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    *identifier = child;
    *control = reports[0];
  }
  close(failure[0]);
  return number;
#else
  return ENOTSUP;
#endif
}
