internal import CofferPlatform
internal import CofferVault

/// The value of an item that git has stored: the password and, as git's helper for macOS writes them, further fields in the
/// lines after it.
struct GitSecret {
  private static let keys = ["password_expiry_utc", "oauth_refresh_token", "authtype", "credential"]

  /// Empty for a credential of another kind.
  let password: [UInt8]
  private let fields: [String: [UInt8]]

  subscript(_ key: String) -> [UInt8]? { fields[key] }

  /// Takes what a message wants to have stored; nil if there is nothing to store.
  init?(storing message: GitCredential, asOf now: Date) {
    guard message.text("ephemeral").map({ ["", "0", "false", "no", "off"].contains($0.lowercased()) }) ?? true else {
      return nil
    }
    password = message["password"] ?? []
    var fields: [String: [UInt8]] = [:]
    for key in Self.keys { if let value = message[key], !value.isEmpty { fields[key] = value } }
    self.fields = fields
    let hasPassword = message["username"] != nil && message["password"] != nil
    let hasCredential = fields["authtype"] != nil && fields["credential"] != nil
    guard hasPassword || hasCredential, !isExpired(asOf: now) else { return nil }
  }

  /// Reads a value. Throws `integrity` for one that git could not take.
  init(_ value: Data) throws(VaultError) {
    guard !value.contains(0), !value.contains(13) else { throw Self.unusable }
    let lines = value.split(separator: 10, omittingEmptySubsequences: false)
    password = lines.first.map { Array($0) } ?? []
    var fields: [String: [UInt8]] = [:]
    for line in lines.dropFirst() where !line.isEmpty {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
        let key = Self.keys.first(where: { line[..<equals].elementsEqual($0.utf8) })
      else { throw Self.unusable }
      fields[key] = Array(line[(equals + 1)...])
    }
    self.fields = fields
  }

  /// The error for a value that git could not take.
  static let unusable = VaultError(
    .integrity,
    "a password for this server has several lines, control characters or more than 64 KiB, which git cannot take",
    recoverySuggestion: "store another one with: coffer set --class internet-password SERVER ACCOUNT")

  /// The value to store.
  var value: Data {
    var value = Data(password)
    for key in Self.keys {
      if let field = fields[key] { value += Data("\n\(key)=".utf8) + Data(field) }
    }
    return value
  }

  /// Whether another secret has the same password, and all that this one says of it. A version of git that knows no expiry
  /// says less.
  func isContained(in other: GitSecret) -> Bool {
    password == other.password && fields.allSatisfy { other.fields[$0.key] == $0.value }
  }

  /// Whether the password is not valid any more.
  func isExpired(asOf now: Date) -> Bool {
    guard let field = fields["password_expiry_utc"], let time = Double(String(decoding: field, as: UTF8.self)) else {
      return false
    }
    return time <= now.timeIntervalSince1970
  }
}
