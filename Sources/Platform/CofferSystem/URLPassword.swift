/// An `https` or `http` URL that was given with a password, and is used and stored without it.
package struct URLPassword {
  /// The URL with the user name and without the password.
  package let url: String
  /// User name and password, separated by a zero byte.
  package let credential: [UInt8]
  package let escapedPassword: String

  /// Takes the password out of a URL. Returns nil if it has none that can be used.
  package init?(_ text: String) {
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return nil }
    let user = authority[..<at]
    guard let colon = user.firstIndex(of: ":"), colon > user.startIndex,
      let name = PercentEscapes.decode(user[..<colon]),
      let password = PercentEscapes.decode(user[user.index(after: colon)...]),
      !password.isEmpty, !(name + password).contains(0)
    else { return nil }
    url = String(text.prefix(scheme.count)) + user[..<colon] + rest[at...]
    credential = name + [0] + password
    escapedPassword = String(user[user.index(after: colon)...])
  }
}
