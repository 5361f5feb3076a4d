#include "Libcrypto.h"

#include <limits.h>

int coffer_modular_power(
    struct coffer_bytes base, struct coffer_bytes exponent, struct coffer_bytes modulus, uint8_t *output) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  if (base.count > modulus.count || exponent.count > modulus.count || modulus.count > INT_MAX) {
    return COFFER_LIBCRYPTO_DAMAGED;
  }
  OSSL_LIB_CTX *library_context = coffer_library_context(lib);
  if (library_context == NULL) return COFFER_LIBCRYPTO_FAILED;
  lib->ERR_set_mark();
  // Secure: the context wipes the memory of its intermediate results.
  BN_CTX *context = lib->BN_CTX_secure_new_ex(library_context);
  BIGNUM *number = lib->BN_bin2bn(base.start, (int)base.count, NULL);
  BIGNUM *power = lib->BN_bin2bn(exponent.start, (int)exponent.count, NULL);
  BIGNUM *divisor = lib->BN_bin2bn(modulus.start, (int)modulus.count, NULL);
  BIGNUM *result = lib->BN_new();
  // In a time that does not depend on the exponent.
  int succeeded = context != NULL && number != NULL && power != NULL && divisor != NULL && result != NULL &&
      lib->BN_mod_exp_mont_consttime(result, number, power, divisor, context, NULL) == 1 &&
      lib->BN_bn2binpad(result, output, (int)modulus.count) == (int)modulus.count;
  lib->BN_clear_free(result);
  lib->BN_clear_free(divisor);
  lib->BN_clear_free(power);
  lib->BN_clear_free(number);
  lib->BN_CTX_free(context);
  lib->ERR_pop_to_mark();
  return succeeded ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_FAILED;
}
