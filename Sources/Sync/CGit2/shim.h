#ifndef COFFER_CGIT2_H
#define COFFER_CGIT2_H

#include <git2.h>
#include <git2/sys/alloc.h>
#include <git2/sys/commit.h>
#include <git2/sys/transport.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// An object database in memory, for the fuzz targets and the simulation.
#include <git2/sys/mempack.h>
#include <git2/sys/repository.h>

// git_libgit2_opts is variadic, which Swift cannot import: one function for each option that is set.

static inline int coffer_git_set_search_path(int level, const char *path) {
  return git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, path);
}

static inline int coffer_git_set_strict_object_creation(int enabled) {
  return git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, enabled);
}

static inline int coffer_git_set_strict_hash_verification(int enabled) {
  return git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, enabled);
}

static inline int coffer_git_set_pack_max_objects(size_t count) {
  return git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, count);
}

// The number of bytes of commits and directories that libgit2 keeps in memory.
static inline int coffer_git_set_cache_max_size(size_t size) {
  return git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, (ssize_t)size);
}

static inline int coffer_git_set_owner_validation(int enabled) {
  return git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, enabled);
}

// An allocator that refuses what no sound repository needs: a pack of a few kilobytes can describe objects of
// gigabytes, which libgit2 makes in memory before anybody can look at their size.

#define COFFER_GIT_MAXIMUM_ALLOCATION ((size_t)128 << 20)

static inline void *coffer_git_realloc(void *pointer, size_t size, const char *file, int line) {
  (void)file, (void)line;
  if (size <= COFFER_GIT_MAXIMUM_ALLOCATION) {
    void *result = realloc(pointer, size > 0 ? size : 1);
    if (result) return result;
  }
  git_error_set_oom();
  return NULL;
}

static inline void *coffer_git_malloc(size_t size, const char *file, int line) {
  return coffer_git_realloc(NULL, size, file, line);
}

static inline void coffer_git_free(void *pointer) { free(pointer); }

#if LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7

// Later versions derive these.

static inline size_t coffer_git_product(size_t count, size_t size) {
  return size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

static inline void *coffer_git_mallocarray(size_t count, size_t size, const char *file, int line) {
  return coffer_git_malloc(coffer_git_product(count, size), file, line);
}

static inline void *coffer_git_reallocarray(
    void *pointer, size_t count, size_t size, const char *file, int line) {
  return coffer_git_realloc(pointer, coffer_git_product(count, size), file, line);
}

static inline void *coffer_git_calloc(size_t count, size_t size, const char *file, int line) {
  // The kernel gives zeroed pages without writing to them.
  if (coffer_git_product(count, size) <= COFFER_GIT_MAXIMUM_ALLOCATION) {
    void *result = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (result) return result;
  }
  (void)file, (void)line;
  git_error_set_oom();
  return NULL;
}

static inline char *coffer_git_substrdup(const char *text, size_t count, const char *file, int line) {
  char *result = count < SIZE_MAX ? (char *)coffer_git_malloc(count + 1, file, line) : NULL;
  if (!result) return NULL;
  memcpy(result, text, count);
  result[count] = 0;
  return result;
}

static inline char *coffer_git_strndup(const char *text, size_t count, const char *file, int line) {
  return coffer_git_substrdup(text, strnlen(text, count), file, line);
}

static inline char *coffer_git_strdup(const char *text, const char *file, int line) {
  return coffer_git_substrdup(text, strlen(text), file, line);
}

#endif

static inline int coffer_git_limit_allocations(void) {
  git_allocator allocator;
  memset(&allocator, 0, sizeof allocator);
  allocator.gmalloc = coffer_git_malloc;
  allocator.grealloc = coffer_git_realloc;
  allocator.gfree = coffer_git_free;
#if LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7
  allocator.gcalloc = coffer_git_calloc;
  allocator.gstrdup = coffer_git_strdup;
  allocator.gstrndup = coffer_git_strndup;
  allocator.gsubstrdup = coffer_git_substrdup;
  allocator.greallocarray = coffer_git_reallocarray;
  allocator.gmallocarray = coffer_git_mallocarray;
#endif
  // It is copied.
  return git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &allocator);
}

// libgit2 hands a subtransport back as a pointer to its first member, so the member must come first in a
// struct of C layout.

typedef struct coffer_subtransport {
  git_smart_subtransport parent;
  void *connection;
  struct coffer_stream *stream;
} coffer_subtransport;

typedef struct coffer_stream {
  git_smart_subtransport_stream parent;
  void *connection;
} coffer_stream;

#endif
