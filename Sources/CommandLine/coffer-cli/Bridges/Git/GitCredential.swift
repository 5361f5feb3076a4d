internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A message of git's protocol for credential helpers: `key=value` in each line, ended by an empty one.
struct GitCredential {
  /// The largest size of a message and of a line, in bytes.
  private static let maximumByteCount = 1 << 20
  static let maximumLineByteCount = 65_535

  private var fields: [String: [UInt8]] = [:]
  /// What the program that asks understands.
  private(set) var capabilities: Set<String> = []

  /// Reads a message. Unknown keys are ignored. Throws `invalidArgument` for a line without "=", for a carriage return or a
  /// NUL, with which one host can pass for another, and for a text that is not UTF-8.
  init(_ message: Data) throws(VaultError) {
    guard message.count <= Self.maximumByteCount else { throw Self.malformed("it is larger than 1 MiB") }
    for line in message.split(separator: 10, omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard line.count <= Self.maximumLineByteCount else { throw Self.malformed("a line is longer than 65,535 bytes") }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex,
        let key = String(validating: line[..<equals], as: UTF8.self)
      else { throw Self.malformed("a line has no key") }
      let name = key.sanitizedForTerminal(limit: 40)
      guard !line.contains(13), !line.contains(0) else {
        throw Self.malformed("the value of \(name) has a carriage return or a NUL")
      }
      let value = Array(line[(equals + 1)...])
      if key == "capability[]" {
        if value.isEmpty { capabilities = [] } else { capabilities.insert(String(decoding: value, as: UTF8.self)) }
      } else if !key.hasSuffix("[]") {
        guard Self.secretKeys.contains(key) || String(validating: value, as: UTF8.self) != nil else {
          throw Self.malformed("the value of \(name) is not UTF-8")
        }
        fields[key] = value
      }
    }
  }

  private static let secretKeys: Set = ["password", "credential", "oauth_refresh_token"]

  private static func malformed(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "git's message is malformed: \(reason)", recoverySuggestion: "look at the URL that git uses")
  }

  /// The bytes of a field; nil if it is missing.
  subscript(_ key: String) -> [UInt8]? { fields[key] }

  /// A field as text; nil if it is missing.
  func text(_ key: String) -> String? { fields[key].map { String(decoding: $0, as: UTF8.self) } }
}
