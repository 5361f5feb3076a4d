#include "Libcrypto.h"

#include <limits.h>
#include <string.h>

// One reading of a file.
struct reader {
  const struct coffer_libcrypto *lib;
  // Its own, so that neither the provider "legacy" nor a setting of the program reaches the other.
  OSSL_LIB_CTX *library_context;
  OSSL_PROVIDER *standard;
  OSSL_PROVIDER *legacy;
  const char *passphrase;
  int passphrase_count;
  // The iterations that are still allowed.
  int64_t iterations;
  void *context;
  coffer_pkcs12_visitor visit;
};

enum { MAXIMUM_DEPTH = 8, MAXIMUM_COORDINATE = 66 };

// Takes a number of iterations from those that are still allowed.
static int charge(struct reader *reader, const ASN1_INTEGER *count) {
  int64_t iterations = 1;
  if (count != NULL && reader->lib->ASN1_INTEGER_get_int64(&iterations, count) != 1) return COFFER_LIBCRYPTO_TOO_COSTLY;
  if (iterations < 1) return COFFER_LIBCRYPTO_DAMAGED;
  if (iterations > reader->iterations) return COFFER_LIBCRYPTO_TOO_COSTLY;
  reader->iterations -= iterations;
  return COFFER_LIBCRYPTO_OK;
}

// Returns the identifier of an algorithm, and the DER of its parameters if they are a sequence.
static int identifier(
    const struct reader *reader, const X509_ALGOR *algorithm, const unsigned char **parameters, long *count) {
  const ASN1_OBJECT *object = NULL;
  const void *value = NULL;
  int type = 0;
  *parameters = NULL;
  *count = 0;
  if (algorithm == NULL) return 0;
  reader->lib->X509_ALGOR_get0(&object, &type, &value, algorithm);
  if (type == COFFER_V_ASN1_SEQUENCE && value != NULL) {
    *parameters = reader->lib->ASN1_STRING_get0_data(value);
    *count = reader->lib->ASN1_STRING_length(value);
  }
  return object == NULL ? 0 : reader->lib->OBJ_obj2nid(object);
}

static int charge_pbkdf2(struct reader *reader, const unsigned char *parameters, long count) {
  PBKDF2PARAM *derivation = reader->lib->d2i_PBKDF2PARAM(NULL, &parameters, count);
  if (derivation == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  int status = charge(reader, ((const struct coffer_pbkdf2_parameters *)(const void *)derivation)->iter);
  reader->lib->PBKDF2PARAM_free(derivation);
  return status;
}

static int charge_pbes2(struct reader *reader, const unsigned char *parameters, long count) {
  PBE2PARAM *scheme = reader->lib->d2i_PBE2PARAM(NULL, &parameters, count);
  if (scheme == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  const struct coffer_pbe2_parameters *parts = (const void *)scheme;
  const unsigned char *unused;
  long unused_count;
  int status = COFFER_LIBCRYPTO_UNSUPPORTED;
  switch (identifier(reader, parts->encryption, &unused, &unused_count)) {
    case COFFER_NID_aes_128_cbc:
    case COFFER_NID_aes_192_cbc:
    case COFFER_NID_aes_256_cbc:
    case COFFER_NID_des_ede3_cbc:
      // Not scrypt, whose cost has three parameters.
      if (identifier(reader, parts->keyfunc, &parameters, &count) == COFFER_NID_id_pbkdf2)
        status = parameters == NULL ? COFFER_LIBCRYPTO_DAMAGED : charge_pbkdf2(reader, parameters, count);
  }
  reader->lib->PBE2PARAM_free(scheme);
  return status;
}

// Checks that an encryption is supported and not too costly, and loads the provider that it needs.
static int prepare(struct reader *reader, const X509_ALGOR *algorithm) {
  const unsigned char *parameters;
  long count;
  int needs_legacy = 0;
  int scheme = identifier(reader, algorithm, &parameters, &count);
  switch (scheme) {
    case COFFER_NID_pbe_WithSHA1And128BitRC4:
    case COFFER_NID_pbe_WithSHA1And40BitRC4:
    case COFFER_NID_pbe_WithSHA1And128BitRC2_CBC:
    case COFFER_NID_pbe_WithSHA1And40BitRC2_CBC: needs_legacy = 1; break;
    case COFFER_NID_pbe_WithSHA1And3_Key_TripleDES_CBC:
    case COFFER_NID_pbe_WithSHA1And2_Key_TripleDES_CBC:
    case COFFER_NID_pbes2: break;
    default: return COFFER_LIBCRYPTO_UNSUPPORTED;
  }
  if (parameters == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  if (scheme == COFFER_NID_pbes2) return charge_pbes2(reader, parameters, count);
  PBEPARAM *derivation = reader->lib->d2i_PBEPARAM(NULL, &parameters, count);
  if (derivation == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  int status = charge(reader, ((const struct coffer_pbe_parameters *)(const void *)derivation)->iter);
  reader->lib->PBEPARAM_free(derivation);
  if (status != COFFER_LIBCRYPTO_OK || !needs_legacy || reader->legacy != NULL) return status;
  reader->legacy = reader->lib->OSSL_PROVIDER_load(reader->library_context, "legacy");
  return reader->legacy == NULL ? COFFER_LIBCRYPTO_NO_LEGACY_PROVIDER : COFFER_LIBCRYPTO_OK;
}

static void emit(
    const struct reader *reader, enum coffer_pkcs12_kind kind, const unsigned char *bytes, size_t count,
    struct coffer_bytes name) {
  reader->visit(reader->context, kind, (struct coffer_bytes){bytes, count}, name);
}

// Returns the friendly name of a bag, in UTF-16. Not with PKCS12_get_friendlyname, which in some versions (3.0.19)
// returns nothing for a name that ends with a character of three bytes in UTF-8.
static struct coffer_bytes friendly_name(const struct coffer_libcrypto *lib, const PKCS12_SAFEBAG *bag) {
  const struct coffer_asn1_type *attribute = (const void *)lib->PKCS12_SAFEBAG_get0_attr(bag, COFFER_NID_friendlyName);
  if (attribute == NULL || attribute->type != COFFER_V_ASN1_BMPSTRING || attribute->value.string == NULL)
    return (struct coffer_bytes){NULL, 0};
  const ASN1_STRING *text = attribute->value.string;
  return (struct coffer_bytes){lib->ASN1_STRING_get0_data(text), (size_t)lib->ASN1_STRING_length(text)};
}

static int emit_elliptic_key(const struct reader *reader, const EVP_PKEY *key, struct coffer_bytes name) {
  static const struct {
    const char *group;
    enum coffer_pkcs12_kind kind;
    int count;
  } curves[] = {
      {"prime256v1", COFFER_PKCS12_P256_KEY, 32},
      {"secp384r1", COFFER_PKCS12_P384_KEY, 48},
      {"secp521r1", COFFER_PKCS12_P521_KEY, MAXIMUM_COORDINATE},
  };
  char group[32];
  size_t length;
  if (reader->lib->EVP_PKEY_get_group_name(key, group, sizeof group, &length) != 1) group[0] = '\0';
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
    if (strcmp(group, curves[i].group) != 0) continue;
    // Allocated by the library, which can wipe it.
    BIGNUM *number = NULL;
    unsigned char scalar[MAXIMUM_COORDINATE];
    if (reader->lib->EVP_PKEY_get_bn_param(key, "priv", &number) != 1) return COFFER_LIBCRYPTO_DAMAGED;
    int written = reader->lib->BN_bn2binpad(number, scalar, curves[i].count);
    reader->lib->BN_clear_free(number);
    if (written == curves[i].count) emit(reader, curves[i].kind, scalar, (size_t)written, name);
    explicit_bzero(scalar, sizeof scalar);
    return written == curves[i].count ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_DAMAGED;
  }
  emit(reader, COFFER_PKCS12_OTHER_KEY, NULL, 0, name);
  return COFFER_LIBCRYPTO_OK;
}

static int emit_key(const struct reader *reader, const PKCS8_PRIV_KEY_INFO *info, struct coffer_bytes name) {
  const struct coffer_libcrypto *lib = reader->lib;
  EVP_PKEY *key = lib->EVP_PKCS82PKEY_ex(info, reader->library_context, NULL);
  int status = COFFER_LIBCRYPTO_OK;
  if (key != NULL && lib->EVP_PKEY_is_a(key, "RSA")) {
    unsigned char *der = NULL;
    int count = lib->i2d_PrivateKey(key, &der);
    if (count > 0) {
      emit(reader, COFFER_PKCS12_RSA_KEY, der, (size_t)count, name);
      coffer_wipe_and_release(lib, der, (size_t)count);
    } else {
      status = COFFER_LIBCRYPTO_DAMAGED;
    }
  } else if (key != NULL && lib->EVP_PKEY_is_a(key, "EC")) {
    status = emit_elliptic_key(reader, key, name);
  } else {
    emit(reader, COFFER_PKCS12_OTHER_KEY, NULL, 0, name);
  }
  lib->EVP_PKEY_free(key);
  return status;
}

static int read_encrypted_key(struct reader *reader, const PKCS12_SAFEBAG *bag, struct coffer_bytes name) {
  const struct coffer_libcrypto *lib = reader->lib;
  const X509_SIG *encrypted = lib->PKCS12_SAFEBAG_get0_pkcs8(bag);
  if (encrypted == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  const X509_ALGOR *algorithm = NULL;
  const ASN1_OCTET_STRING *bytes = NULL;
  lib->X509_SIG_get0(encrypted, &algorithm, &bytes);
  int status = prepare(reader, algorithm);
  if (status != COFFER_LIBCRYPTO_OK) return status;
  PKCS8_PRIV_KEY_INFO *info = lib->PKCS12_decrypt_skey_ex(
      bag, reader->passphrase, reader->passphrase_count, reader->library_context, NULL);
  if (info == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  status = emit_key(reader, info, name);
  // Wipes the key.
  lib->PKCS8_PRIV_KEY_INFO_free(info);
  return status;
}

static int read_bags(struct reader *reader, const struct stack_st_PKCS12_SAFEBAG *bags, int depth);

static int read_bag(struct reader *reader, PKCS12_SAFEBAG *bag, struct coffer_bytes name, int depth) {
  const struct coffer_libcrypto *lib = reader->lib;
  switch (lib->PKCS12_SAFEBAG_get_nid(bag)) {
    case COFFER_NID_certBag: {
      if (lib->PKCS12_SAFEBAG_get_bag_nid(bag) != COFFER_NID_x509Certificate) return COFFER_LIBCRYPTO_OK;
      X509 *certificate = lib->PKCS12_SAFEBAG_get1_cert(bag);
      if (certificate == NULL) return COFFER_LIBCRYPTO_DAMAGED;
      unsigned char *der = NULL;
      int count = lib->i2d_X509(certificate, &der);
      lib->X509_free(certificate);
      if (count <= 0) return COFFER_LIBCRYPTO_DAMAGED;
      emit(reader, COFFER_PKCS12_CERTIFICATE, der, (size_t)count, name);
      coffer_release(lib, der);
      return COFFER_LIBCRYPTO_OK;
    }
    case COFFER_NID_keyBag: {
      const PKCS8_PRIV_KEY_INFO *info = lib->PKCS12_SAFEBAG_get0_p8inf(bag);
      return info == NULL ? COFFER_LIBCRYPTO_DAMAGED : emit_key(reader, info, name);
    }
    case COFFER_NID_pkcs8ShroudedKeyBag: return read_encrypted_key(reader, bag, name);
    case COFFER_NID_safeContentsBag:
      return depth < MAXIMUM_DEPTH ? read_bags(reader, lib->PKCS12_SAFEBAG_get0_safes(bag), depth + 1)
                                   : COFFER_LIBCRYPTO_DAMAGED;
    // Revocation lists and other secrets.
    default: return COFFER_LIBCRYPTO_OK;
  }
}

static int read_bags(struct reader *reader, const struct stack_st_PKCS12_SAFEBAG *bags, int depth) {
  const struct coffer_libcrypto *lib = reader->lib;
  const OPENSSL_STACK *stack = (const void *)bags;
  int status = COFFER_LIBCRYPTO_OK;
  for (int i = 0; status == COFFER_LIBCRYPTO_OK && i < lib->OPENSSL_sk_num(stack); i++) {
    PKCS12_SAFEBAG *bag = lib->OPENSSL_sk_value(stack, i);
    status = read_bag(reader, bag, friendly_name(lib, bag), depth);
  }
  return status;
}

// Reads one of the parts of a file, which is encrypted or not.
static int read_part(struct reader *reader, PKCS7 *part) {
  const struct coffer_libcrypto *lib = reader->lib;
  const struct coffer_pkcs7 *view = (const void *)part;
  struct stack_st_PKCS12_SAFEBAG *bags;
  switch (lib->OBJ_obj2nid(view->type)) {
    case COFFER_NID_pkcs7_data:
      if (view->d.any == NULL) return COFFER_LIBCRYPTO_DAMAGED;
      bags = lib->PKCS12_unpack_p7data(part);
      break;
    case COFFER_NID_pkcs7_encrypted: {
      const struct coffer_pkcs7_encrypted *encrypted = view->d.encrypted;
      if (encrypted == NULL || encrypted->enc_data == NULL || encrypted->enc_data->enc_data == NULL)
        return COFFER_LIBCRYPTO_DAMAGED;
      int status = prepare(reader, encrypted->enc_data->algorithm);
      if (status != COFFER_LIBCRYPTO_OK) return status;
      bags = lib->PKCS12_unpack_p7encdata(part, reader->passphrase, reader->passphrase_count);
      break;
    }
    // Encrypted for a public key.
    default: return COFFER_LIBCRYPTO_UNSUPPORTED;
  }
  if (bags == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  int status = read_bags(reader, bags, 0);
  lib->OPENSSL_sk_pop_free((OPENSSL_STACK *)(void *)bags, (void (*)(void *))lib->PKCS12_SAFEBAG_free);
  return status;
}

// Verifies the authentication code, and thereby the passphrase.
static int verify(struct reader *reader, PKCS12 *file) {
  const struct coffer_libcrypto *lib = reader->lib;
  const ASN1_OCTET_STRING *code = NULL, *salt = NULL;
  const X509_ALGOR *algorithm = NULL;
  const ASN1_INTEGER *count = NULL;
  lib->PKCS12_get0_mac(&code, &algorithm, &salt, &count, file);
  if (algorithm == NULL) return COFFER_LIBCRYPTO_UNSUPPORTED;
  const unsigned char *unused;
  long unused_count;
  switch (identifier(reader, algorithm, &unused, &unused_count)) {
    case COFFER_NID_sha1:
    case COFFER_NID_sha224:
    case COFFER_NID_sha256:
    case COFFER_NID_sha384:
    case COFFER_NID_sha512: break;
    default: return COFFER_LIBCRYPTO_UNSUPPORTED;
  }
  int status = charge(reader, count);
  if (status != COFFER_LIBCRYPTO_OK) return status;
  if (lib->PKCS12_verify_mac(file, reader->passphrase, reader->passphrase_count)) return COFFER_LIBCRYPTO_OK;
  if (reader->passphrase_count > 0) return COFFER_LIBCRYPTO_WRONG_PASSPHRASE;
  // An empty passphrase is encoded as no bytes, or as a zero character.
  status = charge(reader, count);
  if (status != COFFER_LIBCRYPTO_OK) return status;
  reader->passphrase = "";
  return lib->PKCS12_verify_mac(file, "", 0) ? COFFER_LIBCRYPTO_OK : COFFER_LIBCRYPTO_WRONG_PASSPHRASE;
}

static int read_file(struct reader *reader, struct coffer_bytes bytes) {
  const struct coffer_libcrypto *lib = reader->lib;
  // The parts of the file inherit the library context.
  PKCS12 *file = lib->PKCS12_init_ex(COFFER_NID_pkcs7_data, reader->library_context, NULL);
  if (file == NULL) return COFFER_LIBCRYPTO_FAILED;
  const unsigned char *position = bytes.start;
  // Releases the object if it fails.
  if (lib->d2i_PKCS12(&file, &position, (long)bytes.count) == NULL) return COFFER_LIBCRYPTO_DAMAGED;
  OPENSSL_STACK *parts = NULL;
  int status = COFFER_LIBCRYPTO_DAMAGED;
  if (position == bytes.start + bytes.count) {
    // Before the passphrase is checked, so that a damaged file is not reported as a wrong passphrase.
    parts = (OPENSSL_STACK *)(void *)lib->PKCS12_unpack_authsafes(file);
    if (parts != NULL) status = verify(reader, file);
  }
  for (int i = 0; status == COFFER_LIBCRYPTO_OK && i < lib->OPENSSL_sk_num(parts); i++)
    status = read_part(reader, lib->OPENSSL_sk_value(parts, i));
  lib->OPENSSL_sk_pop_free(parts, (void (*)(void *))lib->PKCS7_free);
  lib->PKCS12_free(file);
  return status;
}

int coffer_pkcs12_read(
    struct coffer_bytes file, const char *passphrase, size_t passphrase_count, int64_t iterations, void *context,
    coffer_pkcs12_visitor visit) {
  const struct coffer_libcrypto *lib = coffer_libcrypto();
  if (lib == NULL) return COFFER_LIBCRYPTO_UNAVAILABLE;
  if (file.count > LONG_MAX || passphrase_count > INT_MAX / 4) return COFFER_LIBCRYPTO_UNSUPPORTED;
  struct reader reader = {
      .lib = lib,
      .passphrase = passphrase_count > 0 ? passphrase : NULL,
      .passphrase_count = (int)passphrase_count,
      .iterations = iterations,
      .context = context,
      .visit = visit,
  };
  lib->ERR_set_mark();
  int status = COFFER_LIBCRYPTO_FAILED;
  reader.library_context = lib->OSSL_LIB_CTX_new();
  if (reader.library_context != NULL) reader.standard = lib->OSSL_PROVIDER_load(reader.library_context, "default");
  if (reader.standard != NULL) status = read_file(&reader, file);
  if (reader.legacy != NULL) lib->OSSL_PROVIDER_unload(reader.legacy);
  if (reader.standard != NULL) lib->OSSL_PROVIDER_unload(reader.standard);
  lib->OSSL_LIB_CTX_free(reader.library_context);
  lib->ERR_pop_to_mark();
  return status;
}
