#ifdef __linux__
// For open64 and renameat2.
#define _GNU_SOURCE
#endif

#include "CTestFaults.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The program that contains this file has one thread. These functions take the place of those of the C library, also in
// the libraries that the program links.

static int calls_left;
static int fault;
static int has_failed;

void coffer_test_fail_call(int number, int error) {
  calls_left = number;
  fault = error;
  has_failed = 0;
}

int coffer_test_end_failing(void) {
  calls_left = 0;
  return has_failed;
}

static int fails(void) {
  if (calls_left == 0 || --calls_left > 0) return 0;
  has_failed = 1;
  errno = fault;
  return 1;
}

static int open_at(int folder, const char *path, int flags, va_list arguments) {
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  return fails() ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name)                                        \
  int name(const char *path, int flags, ...) {            \
    va_list arguments;                                    \
    va_start(arguments, flags);                           \
    int file = open_at(AT_FDCWD, path, flags, arguments); \
    va_end(arguments);                                    \
    return file;                                          \
  }

#define OPEN_AT(name)                                     \
  int name(int folder, const char *path, int flags, ...) { \
    va_list arguments;                                    \
    va_start(arguments, flags);                           \
    int file = open_at(folder, path, flags, arguments);   \
    va_end(arguments);                                    \
    return file;                                          \
  }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  return fails() ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t start) {
  return fails() ? -1 : syscall(SYS_pwrite64, file, bytes, count, start);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t start) {
  return fails() ? -1 : syscall(SYS_pwrite64, file, bytes, count, start);
}

int ftruncate(int file, off_t size) { return fails() ? -1 : (int)syscall(SYS_ftruncate, file, size); }

int ftruncate64(int file, off64_t size) { return fails() ? -1 : (int)syscall(SYS_ftruncate, file, size); }

int fsync(int file) { return fails() ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return fails() ? -1 : (int)syscall(SYS_fdatasync, file); }

int rename(const char *from, const char *to) {
  return fails() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return fails() ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return fails() ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

#else

void coffer_test_fail_call(int number, int error) {
  (void)number;
  (void)error;
}

int coffer_test_end_failing(void) { return 0; }

#endif
