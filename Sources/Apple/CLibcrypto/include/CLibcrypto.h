// Functions over OpenSSL's libcrypto, which is loaded at the first call. OpenSSL's types never leave this target, and
// its headers are not needed to build it: see Libcrypto.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The result of a call.
enum coffer_libcrypto_status {
  COFFER_LIBCRYPTO_OK,
  // The library is not installed, or lacks a function.
  COFFER_LIBCRYPTO_UNAVAILABLE,
  // The file needs a cipher of OpenSSL's provider "legacy", which is not installed.
  COFFER_LIBCRYPTO_NO_LEGACY_PROVIDER,
  // No memory is left, or the library reported an error without a cause in the input.
  COFFER_LIBCRYPTO_FAILED,
  // The bytes do not have the expected format.
  COFFER_LIBCRYPTO_DAMAGED,
  // The bytes have the expected format, with an algorithm that is not supported.
  COFFER_LIBCRYPTO_UNSUPPORTED,
  // The file demands more iterations of its key derivations than allowed.
  COFFER_LIBCRYPTO_TOO_COSTLY,
  // The passphrase is wrong, or the file was changed.
  COFFER_LIBCRYPTO_WRONG_PASSPHRASE,
};

// Loads a library, or OpenSSL's own libcrypto if `file` is null. If that fails, writes the reason to `reason`.
int coffer_libcrypto_load(const char *file, char *reason, size_t capacity);

// Bytes that are valid until a visitor returns.
struct coffer_bytes {
  const uint8_t *start;
  size_t count;
};

// Several byte strings, one after the other in `bytes`.
struct coffer_byte_list {
  const uint8_t *bytes;
  const size_t *counts;
  size_t count;
};

// MARK: Hash functions and RSA

// The size of the largest digest.
enum { COFFER_MAXIMUM_DIGEST = 64 };

// Computes a digest of at most COFFER_MAXIMUM_DIGEST bytes. `algorithm` is OpenSSL's name of the hash function.
int coffer_digest(const char *algorithm, struct coffer_bytes input, uint8_t *output, size_t *count);

// Derives `count` bytes from a secret (ANSI X9.63).
int coffer_x963_derive(
    const char *algorithm, struct coffer_bytes secret, struct coffer_bytes shared_info, uint8_t *output, size_t count);

enum coffer_rsa_operation {
  COFFER_RSA_SIGN,
  COFFER_RSA_VERIFY,
  COFFER_RSA_ENCRYPT,
  COFFER_RSA_DECRYPT,
};

struct coffer_rsa_request {
  enum coffer_rsa_operation operation;
  // A private key in PKCS #1 for signing and decrypting, otherwise a public one as SubjectPublicKeyInfo.
  struct coffer_bytes key;
  // OpenSSL's name: "none", "pkcs1", "pss" or "oaep".
  const char *padding;
  // OpenSSL's name of the hash function of the padding and its mask, or null for a padding without one.
  const char *algorithm;
  // The digest to sign or to verify, the plaintext or the ciphertext.
  struct coffer_bytes input;
  // Only for COFFER_RSA_VERIFY.
  struct coffer_bytes signature;
};

// Runs an operation. `output` has `count` bytes, at least as many as the modulus; on return, `count` is the size of the
// result, 0 for COFFER_RSA_VERIFY. COFFER_LIBCRYPTO_DAMAGED stands for an input that does not fit the key and the
// padding, and for an invalid signature.
int coffer_rsa_run(const struct coffer_rsa_request *request, uint8_t *output, size_t *count);

// MARK: Numbers

// Computes base to the power of exponent, modulo an odd number. All are big-endian; `output` has as many bytes as the
// modulus. COFFER_LIBCRYPTO_DAMAGED stands for a base or an exponent with more bytes than the modulus.
int coffer_modular_power(
    struct coffer_bytes base, struct coffer_bytes exponent, struct coffer_bytes modulus, uint8_t *output);

// MARK: PKCS #12

enum coffer_pkcs12_kind {
  // A certificate in DER.
  COFFER_PKCS12_CERTIFICATE,
  // A private RSA key in PKCS #1.
  COFFER_PKCS12_RSA_KEY,
  // The private scalar of a key on P-256, P-384 or P-521, as long as a coordinate.
  COFFER_PKCS12_P256_KEY,
  COFFER_PKCS12_P384_KEY,
  COFFER_PKCS12_P521_KEY,
  // A private key of another type, without its bytes.
  COFFER_PKCS12_OTHER_KEY,
};

typedef void (*coffer_pkcs12_visitor)(
    void *context, enum coffer_pkcs12_kind kind, struct coffer_bytes bytes, struct coffer_bytes name);

// Reads a PKCS #12 file and calls `visit` for each certificate and each private key, in the order of the file, with the
// friendly name in UTF-16, big-endian, or null. Every copy of a key is wiped when `visit` returns.
//
// `passphrase` is UTF-8; empty stands for both forms of an empty passphrase. `iterations` limits the sum of the
// iterations of all key derivations; it is checked before each of them.
int coffer_pkcs12_read(
    struct coffer_bytes file, const char *passphrase, size_t passphrase_count, int64_t iterations, void *context,
    coffer_pkcs12_visitor visit);

// The size of the longest passphrase of a file that is written.
enum { COFFER_MAXIMUM_PKCS12_PASSPHRASE = 1024 };

struct coffer_pkcs12_request {
  // In PKCS #8, without encryption.
  struct coffer_bytes key;
  // The key's certificate, and its issuers, in DER.
  struct coffer_byte_list certificates;
  // UTF-8 without zeros, at most COFFER_MAXIMUM_PKCS12_PASSPHRASE bytes.
  struct coffer_bytes passphrase;
  // The friendly name of both in UTF-8.
  const char *name;
  // Of each key derivation.
  int iterations;
};

typedef void (*coffer_bytes_visitor)(void *context, struct coffer_bytes bytes);

// Writes a PKCS #12 file with AES-256 and SHA-256, and calls `visit` with it. COFFER_LIBCRYPTO_DAMAGED also stands for
// a key that is not the certificate's.
int coffer_pkcs12_write(const struct coffer_pkcs12_request *request, void *context, coffer_bytes_visitor visit);

// MARK: Chains

// Called for the certificates of one chain after the other, and for those of a chain in order. `chain` is its position.
typedef void (*coffer_certificate_visitor)(void *context, size_t chain, struct coffer_bytes der);

// Builds the chains of the first `count` certificates from all of them, as far as possible and without verifying them.
int coffer_chains_build(
    struct coffer_byte_list certificates, size_t count, void *context, coffer_certificate_visitor visit);

enum coffer_trust_purpose {
  COFFER_TRUST_ANY_PURPOSE,
  COFFER_TRUST_TLS_SERVER,
  COFFER_TRUST_TLS_CLIENT,
};

struct coffer_trust_request {
  // The certificate to verify, and others that its chain may contain.
  struct coffer_byte_list certificates;
  struct coffer_byte_list anchors;
  int uses_system_anchors;
  enum coffer_trust_purpose purpose;
  // The name or the address that the certificate must have, or null.
  const char *host;
  // The time at which the chain must be valid, in seconds since 1970.
  int64_t time;
};

enum coffer_trust_failure_kind {
  COFFER_TRUST_NO_FAILURE,
  COFFER_TRUST_NO_ANCHOR,
  COFFER_TRUST_EXPIRED,
  COFFER_TRUST_NOT_YET_VALID,
  COFFER_TRUST_HOST_MISMATCH,
  COFFER_TRUST_BAD_SIGNATURE,
  COFFER_TRUST_WRONG_PURPOSE,
  COFFER_TRUST_NO_AUTHORITY,
  COFFER_TRUST_PATH_TOO_LONG,
  COFFER_TRUST_UNKNOWN_EXTENSION,
  COFFER_TRUST_WEAK_KEY,
  COFFER_TRUST_WEAK_DIGEST,
  COFFER_TRUST_NAME_NOT_ALLOWED,
  COFFER_TRUST_OTHER_FAILURE,
};

struct coffer_trust_failure {
  enum coffer_trust_failure_kind kind;
  // The position of the certificate in the chain.
  int position;
  // OpenSSL's description.
  const char *text;
};

// Verifies a certificate and calls `visit` for each certificate of the chain, as far as it could be built. The result
// is `failure`; the status says only whether there is one.
int coffer_trust_evaluate(
    const struct coffer_trust_request *request, struct coffer_trust_failure *failure, void *context,
    coffer_certificate_visitor visit);
