"""The functions of libsodium that the format requires, through ctypes: Coffer requires this library too.

Names and argument orders are those of `nacl.bindings`. Functions that fail raise CryptoError.
"""

import ctypes
import ctypes.util
import pathlib
import subprocess


class CryptoError(Exception):
    """A signature, a box or a sealed part is not valid, or an argument is malformed."""


def load():
    """Loads the library by its name for the linker, or from where the build of Coffer finds it."""
    for name in ("libsodium.so", "libsodium.dylib"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    if found := ctypes.util.find_library("sodium"):
        return ctypes.CDLL(found)
    command = ["pkg-config", "--variable=libdir", "libsodium"]
    folder = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    for path in pathlib.Path(folder or "/nonexistent").glob("libsodium.*"):
        if path.suffix in (".so", ".dylib"):
            return ctypes.CDLL(str(path))
    raise SystemExit("libsodium is not installed; run Scripts/bootstrap")


LIBRARY = load()
LIBRARY.sodium_init()
crypto_pwhash_ALG_ARGON2ID13 = 2


def long(number):
    return ctypes.c_ulonglong(number)


def call(function, count, *arguments):
    """Calls a function that writes `count` bytes to its first argument, and returns them."""
    output = ctypes.create_string_buffer(max(count, 1))
    if getattr(LIBRARY, function)(output, *arguments) != 0:
        raise CryptoError(function)
    return output.raw[:count]


def sized(value, count):
    if len(value) != count:
        raise CryptoError(f"{len(value)} bytes instead of {count}")
    return value


def crypto_sign_open(signed, key):
    return call("crypto_sign_open", len(signed), None, signed, long(len(signed)), sized(key, 32))[: len(signed) - 64]


def crypto_sign(message, secret):
    return call("crypto_sign", 64 + len(message), None, message, long(len(message)), sized(secret, 64))


def crypto_sign_seed_keypair(seed):
    secret = ctypes.create_string_buffer(64)
    return call("crypto_sign_seed_keypair", 32, secret, sized(seed, 32)), secret.raw


def crypto_scalarmult_base(scalar):
    return call("crypto_scalarmult_base", 32, sized(scalar, 32))


def crypto_aead_xchacha20poly1305_ietf_encrypt(message, associated, nonce, key):
    count = len(message) + 16
    return call(
        "crypto_aead_xchacha20poly1305_ietf_encrypt", count, None, message, long(len(message)), associated,
        long(len(associated)), None, sized(nonce, 24), sized(key, 32),
    )  # fmt: skip


def crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, associated, nonce, key):
    if len(sealed) < 16:
        raise CryptoError("no tag")
    return call(
        "crypto_aead_xchacha20poly1305_ietf_decrypt", len(sealed) - 16, None, None, sealed, long(len(sealed)),
        associated, long(len(associated)), sized(nonce, 24), sized(key, 32),
    )  # fmt: skip


def crypto_box_seal(message, public):
    return call("crypto_box_seal", len(message) + 48, message, long(len(message)), sized(public, 32))


def crypto_box_seal_open(sealed, public, secret):
    if len(sealed) < 48:
        raise CryptoError("no box")
    count = len(sealed) - 48
    return call("crypto_box_seal_open", count, sealed, long(len(sealed)), sized(public, 32), sized(secret, 32))


def crypto_pwhash_alg(count, passphrase, salt, passes, byte_count, algorithm):
    return call(
        "crypto_pwhash", count, long(count), passphrase, long(len(passphrase)), sized(salt, 16), long(passes),
        ctypes.c_size_t(byte_count), ctypes.c_int(algorithm),
    )  # fmt: skip


def scalar(function, *arguments):
    """Calls a function without a result that writes a scalar of the curve's group to its first argument."""
    output = ctypes.create_string_buffer(32)
    getattr(LIBRARY, function)(output, *arguments)
    return output.raw


def crypto_core_ed25519_scalar_reduce(number):
    return scalar("crypto_core_ed25519_scalar_reduce", sized(number, 64))


def crypto_core_ed25519_scalar_mul(one, other):
    return scalar("crypto_core_ed25519_scalar_mul", sized(one, 32), sized(other, 32))


def crypto_core_ed25519_scalar_add(one, other):
    return scalar("crypto_core_ed25519_scalar_add", sized(one, 32), sized(other, 32))


def crypto_scalarmult_ed25519_base_noclamp(number):
    return call("crypto_scalarmult_ed25519_base_noclamp", 32, sized(number, 32))
