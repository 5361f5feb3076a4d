#!/usr/bin/env bash
# Writes the PKCS #12 files of this folder, once, with OpenJDK 17's keytool and OpenSSL 3.0. Their passphrase is "sesame".
#
# java.p12            a key store that keytool creates as PKCS #12: an EC key, an RSA key, a trusted certificate and a
#                     secret key
# java-imported.p12   a key store that keytool converts from JKS: an EC key with its certificate and that of its issuer
# keychain-access.p12 the parameters of an export of Keychain Access: a certificate encrypted with 40-bit RC2, a key with
#                     Triple DES, both with 2048 iterations, and an authentication code with SHA-1 and one iteration
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
rm -f ./*.p12
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name='CN=%s, O=Example'
java() { keytool -storepass sesame -keypass sesame "$@" >&2; }
validity=(-startdate 2026/01/01 -validity 36500)
# shellcheck disable=SC2059 # the subject is a format
subject() { printf "$name" "$1"; }

# A chain in a JKS store: root, intermediate, leaf.
jks=(-storetype JKS -keystore "$work/store.jks")
ec=(-keyalg EC -groupname secp384r1)
java -genkeypair "${jks[@]}" "${ec[@]}" "${validity[@]}" -alias root -dname "$(subject Root)" -ext bc:c
java -exportcert "${jks[@]}" -alias root -file "$work/root.der"
sign() {
  java -genkeypair "${jks[@]}" "${ec[@]}" "${validity[@]}" -alias "$1" -dname "$(subject "$2")"
  java -certreq "${jks[@]}" -alias "$1" -file "$work/$1.csr"
  java -gencert "${jks[@]}" "${validity[@]}" -alias "$3" -infile "$work/$1.csr" -outfile "$work/$1.der" -ext "$4"
  java -importcert "${jks[@]}" -noprompt -alias "$1" -file "$work/$1.der"
}
sign intermediate Intermediate root bc:c
sign server Server intermediate san=dns:server.example.com
keytool -importkeystore -srckeystore "$work/store.jks" -srcstorepass sesame -srcalias server -srckeypass sesame \
  -destkeystore java-imported.p12 -deststoretype PKCS12 -deststorepass sesame -destalias 'Prüfung 鍵'

p12=(-storetype PKCS12 -keystore java.p12)
java -genkeypair "${p12[@]}" -keyalg EC -groupname secp256r1 "${validity[@]}" -alias elliptic -dname "$(subject Elliptic)"
java -genkeypair "${p12[@]}" -keyalg RSA -keysize 2048 "${validity[@]}" -alias rsa -dname "$(subject RSA)"
java -importcert "${p12[@]}" -noprompt -alias trusted -file "$work/root.der"
java -genseckey "${p12[@]}" -keyalg AES -keysize 256 -alias secret

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/certificate.pem" -days 36500 \
  -subj '/O=Example/CN=Jane Doe' 2>/dev/null
openssl pkcs12 -export -legacy -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-RC2-40 -macalg sha1 -nomaciter \
  -inkey "$work/key.pem" -in "$work/certificate.pem" -name 'Jane Doe' -passout pass:sesame -out keychain-access.p12
