#!/usr/bin/env python3
"""Writes keys.json: key pairs in Apple's external formats with signatures, by OpenSSL and python-cryptography.

Run it again only to add kinds of keys: the file is frozen, and every run makes other keys.
"""
import hashlib
import json
import pathlib
import subprocess
import tempfile

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding

message = b"Signed by somebody else's library."
digests = {"SHA1": hashes.SHA1, "SHA256": hashes.SHA256, "SHA384": hashes.SHA384, "SHA512": hashes.SHA512}


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


def signatures(key, pem_path):
    made = {}
    for name, digest in digests.items():
        if isinstance(key, ec.EllipticCurvePrivateKey):
            made[f"ECDSA:{name}"] = openssl("dgst", f"-{name.lower()}", "-sign", pem_path, data=message)
            continue
        made[f"PKCS1:{name}"] = openssl("dgst", f"-{name.lower()}", "-sign", pem_path, data=message)
        if key.key_size // 8 >= 2 * digest.digest_size + 2:
            pss = padding.PSS(padding.MGF1(digest()), digest.digest_size)
            made[f"PSS:{name}"] = key.sign(message, pss, digest())
    return {name: signature.hex() for name, signature in made.items()}


def pair(name, *generation):
    pem = openssl("genpkey", *generation)
    key = serialization.load_pem_private_key(pem, None)
    spki = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    if isinstance(key, ec.EllipticCurvePrivateKey):
        public = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        private = public + key.private_numbers().private_value.to_bytes((key.key_size + 7) // 8, "big")
    else:
        public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
        private = key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption())
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        signed = signatures(key, file.name)
    return {
        "name": name, "sizeInBits": key.key_size, "isRSA": not isinstance(key, ec.EllipticCurvePrivateKey),
        "private": private.hex(), "public": public.hex(), "subjectPublicKeyInfo": spki.hex(), "pem": pem.decode(),
        "label": hashlib.sha1(public).hexdigest(), "signatures": signed,
    }


curves = [pair(curve, "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}")
          for curve in ("P-256", "P-384", "P-521")]
moduli = [pair(f"RSA-{bits}", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{bits}") for bits in (1024, 2048, 3072)]
document = {"message": message.hex(), "keys": curves + moduli}
pathlib.Path(__file__).with_name("keys.json").write_text(json.dumps(document, indent=2) + "\n")
