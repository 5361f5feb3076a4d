#include "Libcrypto.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

// The anchors of the system, whose file takes 50 ms to read. Kept until the process ends.
static X509_STORE *system_store;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_certificates(const struct coffer_libcrypto *lib, OPENSSL_STACK *certificates) {
  lib->OPENSSL_sk_pop_free(certificates, (void (*)(void *))lib->X509_free);
}

// Decodes a list of certificates; null if one of them is damaged.
static OPENSSL_STACK *decode(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, struct coffer_byte_list list) {
  OPENSSL_STACK *certificates = lib->OPENSSL_sk_new_null();
  const unsigned char *position = list.bytes;
  for (size_t i = 0; certificates != NULL && i < list.count; i++) {
    const unsigned char *end = position + list.counts[i];
    X509 *certificate = lib->X509_new_ex(library_context, NULL);
    // Releases the object if it fails.
    if (certificate == NULL || lib->d2i_X509(&certificate, &position, (long)list.counts[i]) == NULL ||
        position != end || lib->OPENSSL_sk_push(certificates, certificate) <= 0) {
      lib->X509_free(certificate);
      free_certificates(lib, certificates);
      return NULL;
    }
  }
  return certificates;
}

// Calls `visit` for the certificates of a chain. Returns a status.
static int visit_chain(
    const struct coffer_libcrypto *lib, const OPENSSL_STACK *chain, size_t position, void *context,
    coffer_certificate_visitor visit) {
  for (int i = 0; i < lib->OPENSSL_sk_num(chain); i++) {
    unsigned char *der = NULL;
    int count = lib->i2d_X509(lib->OPENSSL_sk_value(chain, i), &der);
    if (count <= 0) return COFFER_LIBCRYPTO_FAILED;
    visit(context, position, (struct coffer_bytes){der, (size_t)count});
    coffer_release(lib, der);
  }
  return COFFER_LIBCRYPTO_OK;
}

static int build(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, struct coffer_byte_list list, size_t count,
    void *context, coffer_certificate_visitor visit) {
  OPENSSL_STACK *certificates = decode(lib, library_context, list);
  if (certificates == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  int status = COFFER_LIBCRYPTO_OK;
  for (size_t i = 0; status == COFFER_LIBCRYPTO_OK && i < count; i++) {
    // Without a store the chain is not verified; it ends with a root if there is one.
    OPENSSL_STACK *chain = (OPENSSL_STACK *)(void *)lib->X509_build_chain(
        lib->OPENSSL_sk_value(certificates, (int)i), (struct stack_st_X509 *)(void *)certificates, NULL, 1,
        library_context, NULL);
    status = chain == NULL ? COFFER_LIBCRYPTO_FAILED : visit_chain(lib, chain, i, context, visit);
    free_certificates(lib, chain);
  }
  free_certificates(lib, certificates);
  return status;
}

int coffer_chains_build(
    struct coffer_byte_list certificates, size_t count, void *context, coffer_certificate_visitor visit) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  if (count > certificates.count || certificates.count > INT_MAX) return COFFER_LIBCRYPTO_FAILED;
  lib->ERR_set_mark();
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  int status = library_context == NULL ? COFFER_LIBCRYPTO_FAILED
                                       : build(lib, library_context, certificates, count, context, visit);
  lib->ERR_pop_to_mark();
  return status;
}

static enum coffer_trust_failure_kind kind_of(int error) {
  switch (error) {
    case COFFER_X509_V_OK: return COFFER_TRUST_NO_FAILURE;
    case COFFER_X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case COFFER_X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case COFFER_X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case COFFER_X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case COFFER_X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case COFFER_X509_V_ERR_CERT_UNTRUSTED:
    case COFFER_X509_V_ERR_CERT_REJECTED: return COFFER_TRUST_NO_ANCHOR;
    case COFFER_X509_V_ERR_CERT_HAS_EXPIRED: return COFFER_TRUST_EXPIRED;
    case COFFER_X509_V_ERR_CERT_NOT_YET_VALID: return COFFER_TRUST_NOT_YET_VALID;
    case COFFER_X509_V_ERR_HOSTNAME_MISMATCH:
    case COFFER_X509_V_ERR_IP_ADDRESS_MISMATCH: return COFFER_TRUST_HOST_MISMATCH;
    case COFFER_X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case COFFER_X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE: return COFFER_TRUST_BAD_SIGNATURE;
    case COFFER_X509_V_ERR_INVALID_PURPOSE: return COFFER_TRUST_WRONG_PURPOSE;
    case COFFER_X509_V_ERR_INVALID_CA:
    case COFFER_X509_V_ERR_INVALID_NON_CA: return COFFER_TRUST_NO_AUTHORITY;
    case COFFER_X509_V_ERR_PATH_LENGTH_EXCEEDED: return COFFER_TRUST_PATH_TOO_LONG;
    case COFFER_X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: return COFFER_TRUST_UNKNOWN_EXTENSION;
    case COFFER_X509_V_ERR_EE_KEY_TOO_SMALL:
    case COFFER_X509_V_ERR_CA_KEY_TOO_SMALL: return COFFER_TRUST_WEAK_KEY;
    case COFFER_X509_V_ERR_CA_MD_TOO_WEAK: return COFFER_TRUST_WEAK_DIGEST;
    case COFFER_X509_V_ERR_PERMITTED_VIOLATION:
    case COFFER_X509_V_ERR_EXCLUDED_VIOLATION: return COFFER_TRUST_NAME_NOT_ALLOWED;
    default: return COFFER_TRUST_OTHER_FAILURE;
  }
}

// Sets what a chain must satisfy. Returns 1 if that succeeds.
static int set_parameters(
    const struct coffer_libcrypto *lib, X509_STORE_CTX *verification, const struct coffer_trust_request *request) {
  // Levels of OpenSSL: 1 refuses MD5, SHA-1 and RSA below 1024 bits, 2 also RSA below 2048 bits.
  int level = 2;
  switch (request->purpose) {
    case COFFER_TRUST_TLS_SERVER:
      if (lib->X509_STORE_CTX_set_default(verification, "ssl_server") != 1) return 0;
      break;
    case COFFER_TRUST_TLS_CLIENT:
      if (lib->X509_STORE_CTX_set_default(verification, "ssl_client") != 1) return 0;
      break;
    default: level = 1;
  }
  X509_VERIFY_PARAM *parameters = lib->X509_STORE_CTX_get0_param(verification);
  if (parameters == NULL) return 0;
  lib->X509_VERIFY_PARAM_set_auth_level(parameters, level);
  lib->X509_VERIFY_PARAM_set_time(parameters, (time_t)request->time);
  // A given anchor need not be a root.
  if (request->anchors.count > 0 &&
      lib->X509_VERIFY_PARAM_set_flags(parameters, COFFER_X509_V_FLAG_PARTIAL_CHAIN) != 1)
    return 0;
  if (request->host == NULL) return 1;
  // The subject's common name is no host name, as on Apple's systems.
  lib->X509_VERIFY_PARAM_set_hostflags(
      parameters, COFFER_X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | COFFER_X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return lib->X509_VERIFY_PARAM_set1_ip_asc(parameters, request->host) == 1 ||
         lib->X509_VERIFY_PARAM_set1_host(parameters, request->host, strlen(request->host)) == 1;
}

static X509_STORE *make_store(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, const OPENSSL_STACK *anchors, int uses_system) {
  X509_STORE *store = lib->X509_STORE_new();
  if (store == NULL) return NULL;
  // A missing folder or file of the system is not an error: it has no anchors.
  int is_complete = !uses_system || lib->X509_STORE_set_default_paths_ex(store, library_context, NULL) == 1;
  for (int i = 0; is_complete && i < lib->OPENSSL_sk_num(anchors); i++)
    is_complete = lib->X509_STORE_add_cert(store, lib->OPENSSL_sk_value(anchors, i)) == 1;
  if (is_complete) return store;
  lib->X509_STORE_free(store);
  return NULL;
}

// Returns the anchors of the system, read at the first call, with a reference for the caller.
static X509_STORE *retain_system_store(const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context) {
  pthread_mutex_lock(&lock);
  if (system_store == NULL) system_store = make_store(lib, library_context, NULL, 1);
  X509_STORE *store = system_store != NULL && lib->X509_STORE_up_ref(system_store) == 1 ? system_store : NULL;
  pthread_mutex_unlock(&lock);
  return store;
}

static int evaluate(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, const struct coffer_trust_request *request,
    struct coffer_trust_failure *failure, void *context, coffer_certificate_visitor visit) {
  OPENSSL_STACK *certificates = decode(lib, library_context, request->certificates);
  OPENSSL_STACK *anchors = decode(lib, library_context, request->anchors);
  X509_STORE *store = NULL;
  X509_STORE_CTX *verification = NULL;
  int status = COFFER_LIBCRYPTO_DAMAGED;
  if (certificates != NULL && anchors != NULL && request->certificates.count > 0) {
    status = COFFER_LIBCRYPTO_FAILED;
    store = request->uses_system_anchors && request->anchors.count == 0
                ? retain_system_store(lib, library_context)
                : make_store(lib, library_context, anchors, request->uses_system_anchors);
    verification = lib->X509_STORE_CTX_new_ex(library_context, NULL);
  }
  if (store != NULL && verification != NULL &&
      lib->X509_STORE_CTX_init(
          verification, store, lib->OPENSSL_sk_value(certificates, 0), (struct stack_st_X509 *)(void *)certificates) ==
          1 &&
      set_parameters(lib, verification, request)) {
    int is_trusted = lib->X509_verify_cert(verification) == 1;
    int error = lib->X509_STORE_CTX_get_error(verification);
    failure->kind = is_trusted ? COFFER_TRUST_NO_FAILURE : kind_of(error);
    // An error of the library itself, such as lack of memory, never counts as trust.
    if (!is_trusted && failure->kind == COFFER_TRUST_NO_FAILURE) failure->kind = COFFER_TRUST_OTHER_FAILURE;
    failure->position = lib->X509_STORE_CTX_get_error_depth(verification);
    failure->text = lib->X509_verify_cert_error_string(error);
    const OPENSSL_STACK *chain = (OPENSSL_STACK *)(void *)lib->X509_STORE_CTX_get0_chain(verification);
    status = visit_chain(lib, chain, 0, context, visit);
  }
  lib->X509_STORE_CTX_free(verification);
  lib->X509_STORE_free(store);
  free_certificates(lib, anchors);
  free_certificates(lib, certificates);
  return status;
}

int coffer_trust_evaluate(
    const struct coffer_trust_request *request, struct coffer_trust_failure *failure, void *context,
    coffer_certificate_visitor visit) {
  *failure = (struct coffer_trust_failure){.kind = COFFER_TRUST_OTHER_FAILURE};
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  lib->ERR_set_mark();
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  int status = library_context == NULL ? COFFER_LIBCRYPTO_FAILED
                                       : evaluate(lib, library_context, request, failure, context, visit);
  lib->ERR_pop_to_mark();
  return status;
}
