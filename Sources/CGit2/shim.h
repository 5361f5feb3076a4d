#ifndef COFFER_CGIT2_H
#define COFFER_CGIT2_H

#include <git2.h>
#include <git2/sys/transport.h>

// An object database in memory, which the fuzz targets read.
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

static inline int coffer_git_set_owner_validation(int enabled) {
  return git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, enabled);
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
