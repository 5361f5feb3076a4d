// Compares Libcrypto.h with OpenSSL's own headers if they are installed (libssl-dev), as on every machine that tests
// this package. Contains no code.
#if __has_include(<openssl/pkcs12.h>)

#include <openssl/bn.h>
#include <openssl/core.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/opensslv.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR == 3
#include "Libcrypto.h"

#define FUNCTION(result, name, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " is declared otherwise");
COFFER_LIBCRYPTO_FUNCTIONS(FUNCTION)
#undef FUNCTION

#define CONSTANT(name, value) _Static_assert(name == value, #name " has another value");
COFFER_LIBCRYPTO_CONSTANTS(CONSTANT)
#undef CONSTANT

#define MEMBER(own, theirs, member) \
  _Static_assert(offsetof(struct own, member) == offsetof(theirs, member), #member " is at another place");
MEMBER(coffer_parameter, OSSL_PARAM, data_type)
MEMBER(coffer_parameter, OSSL_PARAM, data)
MEMBER(coffer_parameter, OSSL_PARAM, data_size)
MEMBER(coffer_parameter, OSSL_PARAM, return_size)
_Static_assert(sizeof(struct coffer_parameter) == sizeof(OSSL_PARAM), "OSSL_PARAM");
MEMBER(coffer_asn1_type, ASN1_TYPE, type)
_Static_assert(offsetof(struct coffer_asn1_type, value.string) == offsetof(ASN1_TYPE, value.bmpstring), "value");
MEMBER(coffer_pbe_parameters, PBEPARAM, iter)
MEMBER(coffer_pbe2_parameters, PBE2PARAM, keyfunc)
MEMBER(coffer_pbe2_parameters, PBE2PARAM, encryption)
MEMBER(coffer_pbkdf2_parameters, PBKDF2PARAM, iter)
MEMBER(coffer_pkcs7_encrypted_content, PKCS7_ENC_CONTENT, algorithm)
MEMBER(coffer_pkcs7_encrypted_content, PKCS7_ENC_CONTENT, enc_data)
MEMBER(coffer_pkcs7_encrypted, PKCS7_ENCRYPT, enc_data)
MEMBER(coffer_pkcs7, PKCS7, type)
MEMBER(coffer_pkcs7, PKCS7, d.encrypted)
#undef MEMBER

#endif
#endif

typedef int coffer_declarations_are_compared;
