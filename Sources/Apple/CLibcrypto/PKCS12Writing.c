#include "Libcrypto.h"

#include <limits.h>
#include <string.h>

// Parses certificates, apart from the first, which is the key's.
static OPENSSL_STACK *read_issuers(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, struct coffer_byte_list list, X509 **leaf) {
  OPENSSL_STACK *issuers = lib->OPENSSL_sk_new_null();
  const unsigned char *position = list.bytes;
  for (size_t i = 0; issuers != NULL && i < list.count; i++) {
    const unsigned char *end = position + list.counts[i];
    X509 *certificate = lib->X509_new_ex(library_context, NULL);
    // Releases the object if it fails.
    if (certificate != NULL && lib->d2i_X509(&certificate, &position, (long)list.counts[i]) == NULL) certificate = NULL;
    if (certificate != NULL && position == end) {
      if (i == 0) {
        *leaf = certificate;
        continue;
      }
      if (lib->OPENSSL_sk_push(issuers, certificate) > 0) continue;
    }
    lib->X509_free(certificate);
    lib->OPENSSL_sk_pop_free(issuers, (void (*)(void *))lib->X509_free);
    return NULL;
  }
  return issuers;
}

int coffer_pkcs12_write(const struct coffer_pkcs12_request *request, void *context, coffer_bytes_visitor visit) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  char passphrase[COFFER_MAXIMUM_PKCS12_PASSPHRASE + 1];
  struct coffer_bytes given = request->passphrase;
  if (request->key.count > LONG_MAX || given.count >= sizeof passphrase || request->iterations < 1 ||
      (given.count > 0 && memchr(given.start, 0, given.count) != NULL))
    return COFFER_LIBCRYPTO_UNSUPPORTED;
  lib->ERR_set_mark();
  int status = COFFER_LIBCRYPTO_FAILED;
  X509 *leaf = NULL;
  EVP_PKEY *key = NULL;
  OPENSSL_STACK *issuers = NULL;
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  if (library_context != NULL) {
    const unsigned char *position = request->key.start;
    key = lib->d2i_AutoPrivateKey_ex(NULL, &position, (long)request->key.count, library_context, NULL);
    issuers = read_issuers(lib, library_context, request->certificates, &leaf);
    if (key == NULL || issuers == NULL || leaf == NULL) status = COFFER_LIBCRYPTO_DAMAGED;
  }
  if (key != NULL && issuers != NULL && leaf != NULL) {
    if (given.count > 0) memcpy(passphrase, given.start, given.count);
    passphrase[given.count] = '\0';
    // The defaults: PBES2 with AES-256, and a code with SHA-256. Fails if the key is not that of the certificate.
    PKCS12 *file = lib->PKCS12_create_ex(
        passphrase, request->name, key, leaf, (struct stack_st_X509 *)(void *)issuers, 0, 0, request->iterations,
        request->iterations, 0, library_context, NULL);
    explicit_bzero(passphrase, sizeof passphrase);
    unsigned char *der = NULL;
    int count = file == NULL ? 0 : lib->i2d_PKCS12(file, &der);
    if (count > 0) {
      visit(context, (struct coffer_bytes){der, (size_t)count});
      coffer_release(lib, der);
      status = COFFER_LIBCRYPTO_OK;
    } else {
      status = COFFER_LIBCRYPTO_DAMAGED;
    }
    lib->PKCS12_free(file);
  }
  lib->OPENSSL_sk_pop_free(issuers, (void (*)(void *))lib->X509_free);
  lib->X509_free(leaf);
  // Wipes the key.
  lib->EVP_PKEY_free(key);
  lib->ERR_pop_to_mark();
  return status;
}
