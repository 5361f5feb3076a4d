/// The halves of a key pair, with the values of `kSecAttrKeyClass`.
enum KeyClass: String, Sendable {
  case `public` = "0"
  case `private` = "1"
}
