internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The value of an item, for a program that takes no other than a line or a text.
struct BridgeValue {
  private let bytes: Data
  /// The item, and who cannot take it otherwise.
  private let item: String
  private let client: String
  /// Stores another value for the item.
  private let command: String

  init(_ bytes: Data, of service: String, _ account: String, for client: String) {
    self.bytes = bytes
    item = "the value of \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())"
    self.client = client
    command = "coffer set \(service.shellWord) \(account.shellWord)"
  }

  /// Returns a line without the newline at its end. Throws `invalidArgument` if it is none, or is too long.
  func line(maximumByteCount: Int = .max) throws(VaultError) -> Data {
    var line = bytes
    if line.last == 10 { line.removeLast() }
    if line.contains(10) || line.contains(13) { throw refusal("has several lines") }
    if line.contains(0) { throw refusal("has a NUL") }
    guard line.count <= maximumByteCount else { throw refusal("has more than \(maximumByteCount) bytes") }
    return line
  }

  /// Returns a text. Throws `invalidArgument` if it is not UTF-8.
  func text() throws(VaultError) -> String {
    guard let text = Self.text(bytes) else { throw notText }
    return text
  }

  /// Returns a line that is a text.
  func textLine() throws(VaultError) -> String {
    guard let text = Self.text(try line()) else { throw notText }
    return text
  }

  /// The error for a value that the other program cannot take, with the reason.
  func refusal(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(item) \(reason), which \(client) cannot take",
      recoverySuggestion: "store another value for it with: \(command)")
  }

  private var notText: VaultError { refusal("is not UTF-8") }

  private static func text(_ bytes: Data) -> String? { String(validating: bytes, as: UTF8.self) }
}
