internal import CofferPlatform

/// A user name and a password. Its description shows neither.
struct Credential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String

  var description: String { "a credential" }
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The value of the header `Authorization`; nil for a user name that HTTP cannot carry.
  var authorization: String? {
    guard !user.contains(":"),
      !(user + password).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}
