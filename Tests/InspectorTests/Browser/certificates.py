"""Certificates and a key, made by openssl, as sources of items for CofferTestItems."""

import base64
import hashlib
import pathlib
import re
import subprocess


def make(folder: pathlib.Path, group: str) -> list[dict]:
    """Returns a root, an intermediate and a server's certificate, its private key, and certificates that have expired
    or are about to."""
    folder.mkdir()
    items = []

    def openssl(*arguments: str) -> bytes:
        result = subprocess.run(["openssl", *arguments], capture_output=True, cwd=folder)
        if result.returncode != 0:
            raise RuntimeError(f"openssl {' '.join(arguments)}: {result.stderr.decode()}")
        return result.stdout

    def add(name: str, subject: str, days: int, issuer: str | None = None, extension: str = "basicConstraints=CA:TRUE"):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
        openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/O=Example/CN={subject}", "-out", f"{name}.csr")
        (folder / f"{name}.ext").write_text(f"{extension}\nsubjectKeyIdentifier=hash\n")
        signer = ["-signkey", f"{name}.key"]
        if issuer:
            signer = ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial"]
        openssl("x509", "-req", "-in", f"{name}.csr", *signer, "-days", str(days), "-extfile", f"{name}.ext",
                "-out", f"{name}.pem")
        der = openssl("x509", "-in", f"{name}.pem", "-outform", "DER")
        items.append({"class": "cert", "group": group, "value": base64.b64encode(der).decode()})

    add("root", "Example Root", 3650)
    add("intermediate", "Example Issuing", 1825, "root")
    add("server", "server.example.com", 365, "intermediate", "subjectAltName=DNS:server.example.com")
    # A validity of 0 days ends when it begins.
    add("expired", "expired.example.com", 0, "intermediate", "subjectAltName=DNS:expired.example.com")
    add("ending", "ending.example.com", 9, "intermediate", "subjectAltName=DNS:ending.example.com")
    items.append(private_key(openssl("ec", "-in", "server.key", "-noout", "-text").decode(), group))
    items.append({
        "class": "keys", "group": group, "label": "Backup key", "account": "com.example.backup", "kind": 2,
        "algorithm": 2_147_483_649, "bits": 256, "value": base64.b64encode(bytes(range(32))).decode(),
    })
    return items


def private_key(text: str, group: str) -> dict:
    """Returns the server's key in the form in which Keychain stores it: the point and then the scalar."""
    scalar, point = (bytes.fromhex(re.sub(r"[\s:]", "", part)) for part in
                     re.search(r"priv:\n([\s0-9a-f:]+)pub:\n([\s0-9a-f:]+)", text).groups())
    return {
        "class": "keys", "group": group, "label": "server.example.com", "account": "com.example.server", "kind": 1,
        "algorithm": 73, "bits": 256, "applicationLabel": base64.b64encode(hashlib.sha1(point).digest()).decode(),
        "value": base64.b64encode(point + scalar[-32:]).decode(),
    }
