#include "Libcrypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The name of the shared library is that of the binary interface, which all versions 3.x of OpenSSL have.
static const char default_file[] = "libcrypto.so.3";

static struct coffer_libcrypto library;
static int is_loaded;
static char load_error[256];
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

// Loads a library and finds its functions. Local: a program's own copy of OpenSSL or BoringSSL is neither replaced nor
// used.
static int load(const char *file, struct coffer_libcrypto *functions, char *reason, size_t capacity) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *message = dlerror();
    snprintf(reason, capacity, "%s", message != NULL ? message : file);
    return 0;
  }
#define FUNCTION(result, name, parameters) \
  if ((functions->name = (result(*) parameters)dlsym(handle, #name)) == NULL) { \
    snprintf(reason, capacity, "%s: it lacks the function %s", file, #name); \
    dlclose(handle); \
    return 0; \
  }
  COFFER_LIBCRYPTO_FUNCTIONS(FUNCTION)
#undef FUNCTION
  return 1;
}

static void load_default(void) { is_loaded = load(default_file, &library, load_error, sizeof load_error); }

const struct coffer_libcrypto *coffer_libcrypto(void) {
  pthread_once(&load_once, load_default);
  return is_loaded ? &library : NULL;
}

OSSL_LIB_CTX *coffer_library_context(const struct coffer_libcrypto *lib) {
  static OSSL_LIB_CTX *shared;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (shared == NULL) shared = lib->OSSL_LIB_CTX_new();
  OSSL_LIB_CTX *context = shared;
  pthread_mutex_unlock(&lock);
  return context;
}

int coffer_libcrypto_load(const char *file, char *reason, size_t capacity) {
  if (file != NULL) {
    struct coffer_libcrypto functions;
    return load(file, &functions, reason, capacity) ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_UNAVAILABLE;
  }
  if (coffer_libcrypto() != NULL) return COFFER_LIBCRYPTO_OK;
  snprintf(reason, capacity, "%s", load_error);
  return COFFER_LIBCRYPTO_UNAVAILABLE;
}
