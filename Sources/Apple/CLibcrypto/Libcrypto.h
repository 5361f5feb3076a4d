// The parts of OpenSSL 3 that this target uses, declared here so that neither a build nor a program needs more than the
// library itself, and only if it calls it. The binary interface of libcrypto.so.3 does not change within OpenSSL 3.
// Declarations.c compares every line with OpenSSL's headers if they are installed.
#pragma once

#include "CLibcrypto.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct stack_st OPENSSL_STACK;
typedef struct ossl_lib_ctx_st OSSL_LIB_CTX;
typedef struct ossl_provider_st OSSL_PROVIDER;
typedef struct bignum_st BIGNUM;
typedef struct bignum_ctx BN_CTX;
typedef struct bn_mont_ctx_st BN_MONT_CTX;
typedef struct asn1_string_st ASN1_INTEGER;
typedef struct asn1_string_st ASN1_OCTET_STRING;
typedef struct asn1_string_st ASN1_STRING;
typedef struct asn1_object_st ASN1_OBJECT;
typedef struct asn1_type_st ASN1_TYPE;
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct evp_kdf_st EVP_KDF;
typedef struct evp_kdf_ctx_st EVP_KDF_CTX;
typedef struct ossl_param_st OSSL_PARAM;
typedef struct X509_algor_st X509_ALGOR;
typedef struct X509_sig_st X509_SIG;
typedef struct x509_st X509;
typedef struct x509_store_st X509_STORE;
typedef struct x509_store_ctx_st X509_STORE_CTX;
typedef struct X509_VERIFY_PARAM_st X509_VERIFY_PARAM;
typedef struct pkcs7_st PKCS7;
typedef struct PKCS12_st PKCS12;
typedef struct PKCS12_SAFEBAG_st PKCS12_SAFEBAG;
typedef struct pkcs8_priv_key_info_st PKCS8_PRIV_KEY_INFO;
typedef struct PBEPARAM_st PBEPARAM;
typedef struct PBE2PARAM_st PBE2PARAM;
typedef struct PBKDF2PARAM_st PBKDF2PARAM;
struct stack_st_X509;
struct stack_st_PKCS7;
struct stack_st_PKCS12_SAFEBAG;

// FUNCTION(result, name, parameters)
#define COFFER_LIBCRYPTO_FUNCTIONS(FUNCTION) \
  FUNCTION(int, ERR_set_mark, (void)) \
  FUNCTION(int, ERR_pop_to_mark, (void)) \
  FUNCTION(void, CRYPTO_free, (void *, const char *, int)) \
  FUNCTION(void, CRYPTO_clear_free, (void *, size_t, const char *, int)) \
  FUNCTION(OSSL_LIB_CTX *, OSSL_LIB_CTX_new, (void)) \
  FUNCTION(void, OSSL_LIB_CTX_free, (OSSL_LIB_CTX *)) \
  FUNCTION(OSSL_PROVIDER *, OSSL_PROVIDER_load, (OSSL_LIB_CTX *, const char *)) \
  FUNCTION(int, OSSL_PROVIDER_unload, (OSSL_PROVIDER *)) \
  FUNCTION(OPENSSL_STACK *, OPENSSL_sk_new_null, (void)) \
  FUNCTION(int, OPENSSL_sk_num, (const OPENSSL_STACK *)) \
  FUNCTION(void *, OPENSSL_sk_value, (const OPENSSL_STACK *, int)) \
  FUNCTION(int, OPENSSL_sk_push, (OPENSSL_STACK *, const void *)) \
  FUNCTION(void, OPENSSL_sk_pop_free, (OPENSSL_STACK *, void (*)(void *))) \
  FUNCTION(int, OBJ_obj2nid, (const ASN1_OBJECT *)) \
  FUNCTION(int, ASN1_INTEGER_get_int64, (int64_t *, const ASN1_INTEGER *)) \
  FUNCTION(const unsigned char *, ASN1_STRING_get0_data, (const ASN1_STRING *)) \
  FUNCTION(int, ASN1_STRING_length, (const ASN1_STRING *)) \
  FUNCTION(void, X509_ALGOR_get0, (const ASN1_OBJECT **, int *, const void **, const X509_ALGOR *)) \
  FUNCTION(void, X509_SIG_get0, (const X509_SIG *, const X509_ALGOR **, const ASN1_OCTET_STRING **)) \
  FUNCTION(PBEPARAM *, d2i_PBEPARAM, (PBEPARAM **, const unsigned char **, long)) \
  FUNCTION(void, PBEPARAM_free, (PBEPARAM *)) \
  FUNCTION(PBE2PARAM *, d2i_PBE2PARAM, (PBE2PARAM **, const unsigned char **, long)) \
  FUNCTION(void, PBE2PARAM_free, (PBE2PARAM *)) \
  FUNCTION(PBKDF2PARAM *, d2i_PBKDF2PARAM, (PBKDF2PARAM **, const unsigned char **, long)) \
  FUNCTION(void, PBKDF2PARAM_free, (PBKDF2PARAM *)) \
  FUNCTION(PKCS12 *, PKCS12_init_ex, (int, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(PKCS12 *, d2i_PKCS12, (PKCS12 **, const unsigned char **, long)) \
  FUNCTION(void, PKCS12_free, (PKCS12 *)) \
  FUNCTION(PKCS12 *, PKCS12_create_ex, \
    (const char *, const char *, EVP_PKEY *, X509 *, struct stack_st_X509 *, int, int, int, int, int, OSSL_LIB_CTX *, \
     const char *)) \
  FUNCTION(int, i2d_PKCS12, (const PKCS12 *, unsigned char **)) \
  FUNCTION(void, PKCS12_get0_mac, \
    (const ASN1_OCTET_STRING **, const X509_ALGOR **, const ASN1_OCTET_STRING **, const ASN1_INTEGER **, \
     const PKCS12 *)) \
  FUNCTION(int, PKCS12_verify_mac, (PKCS12 *, const char *, int)) \
  FUNCTION(struct stack_st_PKCS7 *, PKCS12_unpack_authsafes, (const PKCS12 *)) \
  FUNCTION(struct stack_st_PKCS12_SAFEBAG *, PKCS12_unpack_p7data, (PKCS7 *)) \
  FUNCTION(struct stack_st_PKCS12_SAFEBAG *, PKCS12_unpack_p7encdata, (PKCS7 *, const char *, int)) \
  FUNCTION(void, PKCS7_free, (PKCS7 *)) \
  FUNCTION(void, PKCS12_SAFEBAG_free, (PKCS12_SAFEBAG *)) \
  FUNCTION(int, PKCS12_SAFEBAG_get_nid, (const PKCS12_SAFEBAG *)) \
  FUNCTION(int, PKCS12_SAFEBAG_get_bag_nid, (const PKCS12_SAFEBAG *)) \
  FUNCTION(const PKCS8_PRIV_KEY_INFO *, PKCS12_SAFEBAG_get0_p8inf, (const PKCS12_SAFEBAG *)) \
  FUNCTION(const X509_SIG *, PKCS12_SAFEBAG_get0_pkcs8, (const PKCS12_SAFEBAG *)) \
  FUNCTION(const struct stack_st_PKCS12_SAFEBAG *, PKCS12_SAFEBAG_get0_safes, (const PKCS12_SAFEBAG *)) \
  FUNCTION(X509 *, PKCS12_SAFEBAG_get1_cert, (const PKCS12_SAFEBAG *)) \
  FUNCTION(const ASN1_TYPE *, PKCS12_SAFEBAG_get0_attr, (const PKCS12_SAFEBAG *, int)) \
  FUNCTION(PKCS8_PRIV_KEY_INFO *, PKCS12_decrypt_skey_ex, \
    (const PKCS12_SAFEBAG *, const char *, int, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(void, PKCS8_PRIV_KEY_INFO_free, (PKCS8_PRIV_KEY_INFO *)) \
  FUNCTION(EVP_PKEY *, EVP_PKCS82PKEY_ex, (const PKCS8_PRIV_KEY_INFO *, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(void, EVP_PKEY_free, (EVP_PKEY *)) \
  FUNCTION(int, EVP_PKEY_is_a, (const EVP_PKEY *, const char *)) \
  FUNCTION(int, EVP_PKEY_get_group_name, (const EVP_PKEY *, char *, size_t, size_t *)) \
  FUNCTION(int, EVP_PKEY_get_bn_param, (const EVP_PKEY *, const char *, BIGNUM **)) \
  FUNCTION(int, i2d_PrivateKey, (const EVP_PKEY *, unsigned char **)) \
  FUNCTION(EVP_PKEY *, d2i_PrivateKey_ex, \
    (int, EVP_PKEY **, const unsigned char **, long, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(EVP_PKEY *, d2i_AutoPrivateKey_ex, \
    (EVP_PKEY **, const unsigned char **, long, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(EVP_PKEY *, d2i_PUBKEY_ex, (EVP_PKEY **, const unsigned char **, long, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_pkey, (OSSL_LIB_CTX *, EVP_PKEY *, const char *)) \
  FUNCTION(void, EVP_PKEY_CTX_free, (EVP_PKEY_CTX *)) \
  FUNCTION(int, EVP_PKEY_sign_init_ex, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
  FUNCTION(int, EVP_PKEY_sign, (EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t)) \
  FUNCTION(int, EVP_PKEY_verify_init_ex, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
  FUNCTION(int, EVP_PKEY_verify, (EVP_PKEY_CTX *, const unsigned char *, size_t, const unsigned char *, size_t)) \
  FUNCTION(int, EVP_PKEY_encrypt_init_ex, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
  FUNCTION(int, EVP_PKEY_encrypt, (EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t)) \
  FUNCTION(int, EVP_PKEY_decrypt_init_ex, (EVP_PKEY_CTX *, const OSSL_PARAM *)) \
  FUNCTION(int, EVP_PKEY_decrypt, (EVP_PKEY_CTX *, unsigned char *, size_t *, const unsigned char *, size_t)) \
  FUNCTION(int, EVP_Q_digest, \
    (OSSL_LIB_CTX *, const char *, const char *, const void *, size_t, unsigned char *, size_t *)) \
  FUNCTION(EVP_KDF *, EVP_KDF_fetch, (OSSL_LIB_CTX *, const char *, const char *)) \
  FUNCTION(void, EVP_KDF_free, (EVP_KDF *)) \
  FUNCTION(EVP_KDF_CTX *, EVP_KDF_CTX_new, (EVP_KDF *)) \
  FUNCTION(void, EVP_KDF_CTX_free, (EVP_KDF_CTX *)) \
  FUNCTION(int, EVP_KDF_derive, (EVP_KDF_CTX *, unsigned char *, size_t, const OSSL_PARAM *)) \
  FUNCTION(BN_CTX *, BN_CTX_secure_new_ex, (OSSL_LIB_CTX *)) \
  FUNCTION(void, BN_CTX_free, (BN_CTX *)) \
  FUNCTION(BIGNUM *, BN_new, (void)) \
  FUNCTION(BIGNUM *, BN_bin2bn, (const unsigned char *, int, BIGNUM *)) \
  FUNCTION(int, BN_mod_exp_mont_consttime, \
    (BIGNUM *, const BIGNUM *, const BIGNUM *, const BIGNUM *, BN_CTX *, BN_MONT_CTX *)) \
  FUNCTION(int, BN_bn2binpad, (const BIGNUM *, unsigned char *, int)) \
  FUNCTION(void, BN_clear_free, (BIGNUM *)) \
  FUNCTION(X509 *, X509_new_ex, (OSSL_LIB_CTX *, const char *)) \
  FUNCTION(X509 *, d2i_X509, (X509 **, const unsigned char **, long)) \
  FUNCTION(int, i2d_X509, (const X509 *, unsigned char **)) \
  FUNCTION(void, X509_free, (X509 *)) \
  FUNCTION(struct stack_st_X509 *, X509_build_chain, \
    (X509 *, struct stack_st_X509 *, X509_STORE *, int, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(X509_STORE *, X509_STORE_new, (void)) \
  FUNCTION(void, X509_STORE_free, (X509_STORE *)) \
  FUNCTION(int, X509_STORE_up_ref, (X509_STORE *)) \
  FUNCTION(int, X509_STORE_add_cert, (X509_STORE *, X509 *)) \
  FUNCTION(int, X509_STORE_set_default_paths_ex, (X509_STORE *, OSSL_LIB_CTX *, const char *)) \
  FUNCTION(X509_STORE_CTX *, X509_STORE_CTX_new_ex, (OSSL_LIB_CTX *, const char *)) \
  FUNCTION(void, X509_STORE_CTX_free, (X509_STORE_CTX *)) \
  FUNCTION(int, X509_STORE_CTX_init, (X509_STORE_CTX *, X509_STORE *, X509 *, struct stack_st_X509 *)) \
  FUNCTION(int, X509_STORE_CTX_set_default, (X509_STORE_CTX *, const char *)) \
  FUNCTION(X509_VERIFY_PARAM *, X509_STORE_CTX_get0_param, (const X509_STORE_CTX *)) \
  FUNCTION(int, X509_VERIFY_PARAM_set_flags, (X509_VERIFY_PARAM *, unsigned long)) \
  FUNCTION(void, X509_VERIFY_PARAM_set_time, (X509_VERIFY_PARAM *, time_t)) \
  FUNCTION(void, X509_VERIFY_PARAM_set_auth_level, (X509_VERIFY_PARAM *, int)) \
  FUNCTION(int, X509_VERIFY_PARAM_set1_host, (X509_VERIFY_PARAM *, const char *, size_t)) \
  FUNCTION(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *, const char *)) \
  FUNCTION(void, X509_VERIFY_PARAM_set_hostflags, (X509_VERIFY_PARAM *, unsigned int)) \
  FUNCTION(int, X509_verify_cert, (X509_STORE_CTX *)) \
  FUNCTION(int, X509_STORE_CTX_get_error, (const X509_STORE_CTX *)) \
  FUNCTION(int, X509_STORE_CTX_get_error_depth, (const X509_STORE_CTX *)) \
  FUNCTION(struct stack_st_X509 *, X509_STORE_CTX_get0_chain, (const X509_STORE_CTX *)) \
  FUNCTION(const char *, X509_verify_cert_error_string, (long))

// CONSTANT(name, value): OpenSSL's name without the prefix, which this target replaces by its own.
#define COFFER_LIBCRYPTO_CONSTANTS(CONSTANT) \
  CONSTANT(EVP_PKEY_RSA, 6) \
  CONSTANT(OSSL_PARAM_UTF8_STRING, 4) \
  CONSTANT(OSSL_PARAM_OCTET_STRING, 5) \
  CONSTANT(V_ASN1_SEQUENCE, 16) \
  CONSTANT(V_ASN1_BMPSTRING, 30) \
  CONSTANT(NID_pkcs7_data, 21) \
  CONSTANT(NID_pkcs7_encrypted, 26) \
  CONSTANT(NID_des_ede3_cbc, 44) \
  CONSTANT(NID_sha1, 64) \
  CONSTANT(NID_id_pbkdf2, 69) \
  CONSTANT(NID_pbe_WithSHA1And128BitRC4, 144) \
  CONSTANT(NID_pbe_WithSHA1And40BitRC4, 145) \
  CONSTANT(NID_pbe_WithSHA1And3_Key_TripleDES_CBC, 146) \
  CONSTANT(NID_pbe_WithSHA1And2_Key_TripleDES_CBC, 147) \
  CONSTANT(NID_pbe_WithSHA1And128BitRC2_CBC, 148) \
  CONSTANT(NID_pbe_WithSHA1And40BitRC2_CBC, 149) \
  CONSTANT(NID_keyBag, 150) \
  CONSTANT(NID_pkcs8ShroudedKeyBag, 151) \
  CONSTANT(NID_certBag, 152) \
  CONSTANT(NID_safeContentsBag, 155) \
  CONSTANT(NID_friendlyName, 156) \
  CONSTANT(NID_x509Certificate, 158) \
  CONSTANT(NID_pbes2, 161) \
  CONSTANT(NID_aes_128_cbc, 419) \
  CONSTANT(NID_aes_192_cbc, 423) \
  CONSTANT(NID_aes_256_cbc, 427) \
  CONSTANT(NID_sha256, 672) \
  CONSTANT(NID_sha384, 673) \
  CONSTANT(NID_sha512, 674) \
  CONSTANT(NID_sha224, 675) \
  CONSTANT(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, 0x4) \
  CONSTANT(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, 0x20) \
  CONSTANT(X509_V_FLAG_PARTIAL_CHAIN, 0x80000) \
  CONSTANT(X509_V_OK, 0) \
  CONSTANT(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, 2) \
  CONSTANT(X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE, 4) \
  CONSTANT(X509_V_ERR_CERT_SIGNATURE_FAILURE, 7) \
  CONSTANT(X509_V_ERR_CERT_NOT_YET_VALID, 9) \
  CONSTANT(X509_V_ERR_CERT_HAS_EXPIRED, 10) \
  CONSTANT(X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, 18) \
  CONSTANT(X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, 19) \
  CONSTANT(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, 20) \
  CONSTANT(X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, 21) \
  CONSTANT(X509_V_ERR_PATH_LENGTH_EXCEEDED, 25) \
  CONSTANT(X509_V_ERR_INVALID_PURPOSE, 26) \
  CONSTANT(X509_V_ERR_CERT_UNTRUSTED, 27) \
  CONSTANT(X509_V_ERR_CERT_REJECTED, 28) \
  CONSTANT(X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION, 34) \
  CONSTANT(X509_V_ERR_INVALID_NON_CA, 37) \
  CONSTANT(X509_V_ERR_PERMITTED_VIOLATION, 47) \
  CONSTANT(X509_V_ERR_EXCLUDED_VIOLATION, 48) \
  CONSTANT(X509_V_ERR_HOSTNAME_MISMATCH, 62) \
  CONSTANT(X509_V_ERR_IP_ADDRESS_MISMATCH, 64) \
  CONSTANT(X509_V_ERR_EE_KEY_TOO_SMALL, 66) \
  CONSTANT(X509_V_ERR_CA_KEY_TOO_SMALL, 67) \
  CONSTANT(X509_V_ERR_CA_MD_TOO_WEAK, 68) \
  CONSTANT(X509_V_ERR_INVALID_CA, 79)

enum {
#define CONSTANT(name, value) COFFER_##name = value,
  COFFER_LIBCRYPTO_CONSTANTS(CONSTANT)
#undef CONSTANT
};

// OpenSSL's structures of these names, of which it has no functions that set or return the members.
struct coffer_parameter {
  const char *key;
  unsigned int data_type;
  void *data;
  size_t data_size;
  size_t return_size;
};
struct coffer_asn1_type {
  int type;
  union {
    void *any;
    ASN1_STRING *string;
  } value;
};
struct coffer_pbe_parameters {
  ASN1_OCTET_STRING *salt;
  ASN1_INTEGER *iter;
};
struct coffer_pbe2_parameters {
  X509_ALGOR *keyfunc;
  X509_ALGOR *encryption;
};
struct coffer_pbkdf2_parameters {
  void *salt;
  ASN1_INTEGER *iter;
};
struct coffer_pkcs7_encrypted_content {
  ASN1_OBJECT *content_type;
  X509_ALGOR *algorithm;
  ASN1_OCTET_STRING *enc_data;
};
struct coffer_pkcs7_encrypted {
  ASN1_INTEGER *version;
  struct coffer_pkcs7_encrypted_content *enc_data;
};
struct coffer_pkcs7 {
  unsigned char *asn1;
  long length;
  int state;
  int detached;
  ASN1_OBJECT *type;
  union {
    void *any;
    struct coffer_pkcs7_encrypted *encrypted;
  } d;
};

// The loaded library.
struct coffer_libcrypto {
#define FUNCTION(result, name, parameters) result(*name) parameters;
  COFFER_LIBCRYPTO_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// Returns the library, loaded at the first call; null if it is not available.
const struct coffer_libcrypto *coffer_libcrypto(void);

// Returns the library context of everything but PKCS #12 files, so that the settings of the program do not reach it;
// null if it cannot be created. It is kept until the process ends.
OSSL_LIB_CTX *coffer_library_context(const struct coffer_libcrypto *lib);

// Frees memory that the library allocated.
#define coffer_release(lib, memory) ((lib)->CRYPTO_free((memory), __FILE__, __LINE__))
#define coffer_wipe_and_release(lib, memory, count) ((lib)->CRYPTO_clear_free((memory), (count), __FILE__, __LINE__))
