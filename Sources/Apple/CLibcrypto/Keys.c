#include "Libcrypto.h"

#include <limits.h>
#include <string.h>

// OpenSSL does not write to parameters that it is given.
static struct coffer_parameter text(const char *key, const char *value) {
  return (struct coffer_parameter){key, COFFER_OSSL_PARAM_UTF8_STRING, (void *)(uintptr_t)value, strlen(value), 0};
}

static struct coffer_parameter octets(const char *key, struct coffer_bytes value) {
  return (struct coffer_parameter){key, COFFER_OSSL_PARAM_OCTET_STRING, (void *)(uintptr_t)value.start, value.count, 0};
}

int coffer_digest(const char *algorithm, struct coffer_bytes input, uint8_t *output, size_t *count) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  lib->ERR_set_mark();
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  int succeeded = library_context != NULL && lib->EVP_Q_digest(
      library_context, algorithm, NULL, input.start, input.count, output, count) == 1;
  lib->ERR_pop_to_mark();
  return succeeded ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_FAILED;
}

int coffer_x963_derive(
    const char *algorithm, struct coffer_bytes secret, struct coffer_bytes shared_info, uint8_t *output, size_t count) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  lib->ERR_set_mark();
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  EVP_KDF *function = library_context == NULL ? NULL : lib->EVP_KDF_fetch(library_context, "X963KDF", NULL);
  // Wipes its copy of the secret when it is freed.
  EVP_KDF_CTX *context = function == NULL ? NULL : lib->EVP_KDF_CTX_new(function);
  const struct coffer_parameter parameters[] = {
      text("digest", algorithm), octets("secret", secret), octets("info", shared_info), {0}};
  int succeeded = context != NULL &&
                  lib->EVP_KDF_derive(context, output, count, (const OSSL_PARAM *)(const void *)parameters) == 1;
  lib->EVP_KDF_CTX_free(context);
  lib->EVP_KDF_free(function);
  lib->ERR_pop_to_mark();
  return succeeded ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_FAILED;
}

static EVP_PKEY *decode(
    const struct coffer_libcrypto *lib, OSSL_LIB_CTX *library_context, const struct coffer_rsa_request *request) {
  const unsigned char *position = request->key.start;
  long count = (long)request->key.count;
  int is_private = request->operation == COFFER_RSA_SIGN || request->operation == COFFER_RSA_DECRYPT;
  return is_private ? lib->d2i_PrivateKey_ex(COFFER_EVP_PKEY_RSA, NULL, &position, count, library_context, NULL)
                    : lib->d2i_PUBKEY_ex(NULL, &position, count, library_context, NULL);
}

static int run(
    const struct coffer_libcrypto *lib, EVP_PKEY_CTX *context, const struct coffer_rsa_request *request,
    const OSSL_PARAM *parameters, uint8_t *output, size_t *count) {
  struct coffer_bytes input = request->input;
  switch (request->operation) {
    case COFFER_RSA_SIGN:
      return lib->EVP_PKEY_sign_init_ex(context, parameters) == 1 &&
             lib->EVP_PKEY_sign(context, output, count, input.start, input.count) == 1;
    case COFFER_RSA_VERIFY:
      *count = 0;
      return lib->EVP_PKEY_verify_init_ex(context, parameters) == 1 &&
             lib->EVP_PKEY_verify(
                 context, request->signature.start, request->signature.count, input.start, input.count) == 1;
    case COFFER_RSA_ENCRYPT:
      return lib->EVP_PKEY_encrypt_init_ex(context, parameters) == 1 &&
             lib->EVP_PKEY_encrypt(context, output, count, input.start, input.count) == 1;
    case COFFER_RSA_DECRYPT:
      return lib->EVP_PKEY_decrypt_init_ex(context, parameters) == 1 &&
             lib->EVP_PKEY_decrypt(context, output, count, input.start, input.count) == 1;
  }
  return 0;
}

int coffer_rsa_run(const struct coffer_rsa_request *request, uint8_t *output, size_t *count) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  if (request->key.count > LONG_MAX) return COFFER_LIBCRYPTO_UNSUPPORTED;
  // The hash function comes first: a padding is checked against it. Masks use the same one by default.
  struct coffer_parameter parameters[4] = {{0}};
  size_t next = 0;
  if (request->algorithm != NULL) parameters[next++] = text("digest", request->algorithm);
  parameters[next++] = text("pad-mode", request->padding);
  if (strcmp(request->padding, "pss") == 0) parameters[next++] = text("saltlen", "digest");

  lib->ERR_set_mark();
  int status = COFFER_LIBCRYPTO_FAILED;
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  // Wipes a private key when it is freed.
  EVP_PKEY *key = library_context == NULL ? NULL : decode(lib, library_context, request);
  EVP_PKEY_CTX *context = key == NULL ? NULL : lib->EVP_PKEY_CTX_new_from_pkey(library_context, key, NULL);
  if (context != NULL) {
    int succeeded = run(lib, context, request, (const OSSL_PARAM *)(const void *)parameters, output, count);
    status = succeeded ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_DAMAGED;
  }
  lib->EVP_PKEY_CTX_free(context);
  lib->EVP_PKEY_free(key);
  lib->ERR_pop_to_mark();
  return status;
}
