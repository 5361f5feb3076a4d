/// The types of keys, with the values of `kSecAttrKeyType`.
enum KeyType: String, Sendable {
  case rsa = "42"
  case ellipticCurve = "73"
}
