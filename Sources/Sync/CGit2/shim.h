#ifndef COFFER_CGIT2_H
#define COFFER_CGIT2_H

#include <git2.h>
#include <git2/sys/alloc.h>
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

// SHA-1, with which the bytes of a pack end. libgit2 has no function for bytes that come in pieces.

typedef struct coffer_sha1 {
  uint32_t state[5];
  uint64_t count;
  uint8_t block[64];
} coffer_sha1;

static inline uint32_t coffer_rotate(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

static inline void coffer_sha1_add_block(coffer_sha1 *hash, const uint8_t *block) {
  uint32_t words[80];
  for (int i = 0; i < 16; i++) {
    words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
  }
  for (int i = 16; i < 80; i++) {
    words[i] = coffer_rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  uint32_t a = hash->state[0], b = hash->state[1], c = hash->state[2], d = hash->state[3], e = hash->state[4];
  for (int i = 0; i < 80; i++) {
    uint32_t mixed = i < 20   ? (d ^ (b & (c ^ d))) + 0x5a827999
                     : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                     : i < 60 ? ((b & c) | (d & (b | c))) + 0x8f1bbcdc
                              : (b ^ c ^ d) + 0xca62c1d6;
    uint32_t next = coffer_rotate(a, 5) + mixed + e + words[i];
    e = d, d = c, c = coffer_rotate(b, 30), b = a, a = next;
  }
  hash->state[0] += a, hash->state[1] += b, hash->state[2] += c, hash->state[3] += d, hash->state[4] += e;
}

static inline void coffer_sha1_begin(coffer_sha1 *hash) {
  *hash = (coffer_sha1){{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, 0, {0}};
}

static inline void coffer_sha1_add(coffer_sha1 *hash, const uint8_t *bytes, size_t count) {
  size_t filled = hash->count % 64;
  hash->count += count;
  while (count > 0) {
    if (filled == 0 && count >= 64) {
      coffer_sha1_add_block(hash, bytes);
      bytes += 64, count -= 64;
      continue;
    }
    hash->block[filled++] = *bytes++, count--;
    if (filled == 64) coffer_sha1_add_block(hash, hash->block), filled = 0;
  }
}

static inline void coffer_sha1_end(coffer_sha1 *hash, uint8_t *result) {
  uint64_t bits = hash->count * 8;
  uint8_t end = 0x80, zero = 0, length[8];
  coffer_sha1_add(hash, &end, 1);
  while (hash->count % 64 != 56) coffer_sha1_add(hash, &zero, 1);
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  coffer_sha1_add(hash, length, 8);
  for (int i = 0; i < 20; i++) result[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

#endif
