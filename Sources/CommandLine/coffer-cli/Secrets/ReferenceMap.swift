internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// What references of 1Password stand for here, so that its templates and files can be used as they are.
struct ReferenceMap {
  static let foreignScheme = "op://"

  private let references: [String: SecretReference]
  private let path: String?

  /// A map without references.
  static let empty = ReferenceMap(references: [:], path: nil)

  private init(references: [String: SecretReference], path: String?) {
    self.references = references
    self.path = path
  }

  /// Reads a file with a reference of 1Password and one of Coffer in each line; `#` begins a comment.
  static func read(_ path: String) throws(VaultError) -> ReferenceMap {
    let lines = try TextLine.read(path, what: "map")
    var references: [String: SecretReference] = [:]
    for line in lines {
      // The name of a vault or an item may have spaces.
      guard let start = line.text.ranges(of: " \(SecretReference.scheme)").last,
        line.text.hasPrefix(foreignScheme)
      else {
        throw line.error("this is not a line of a map", recoverySuggestion: "write: op://VAULT/ITEM/FIELD coffer://…")
      }
      let foreign = line.text[..<start.lowerBound].trimmedSpace
      let reference = try line.translating { () throws(VaultError) in
        try SecretReference(String(line.text[start.lowerBound...].dropFirst()))
      }
      guard references.updateValue(reference, forKey: foreign) == nil else {
        throw line.error("\(foreign.sanitizedForTerminal()) is in the map twice", recoverySuggestion: "remove one line")
      }
    }
    return ReferenceMap(references: references, path: path)
  }

  /// Whether a text begins as a reference does.
  static func isReference(_ text: some StringProtocol) -> Bool {
    text.hasPrefix(SecretReference.scheme) || text.hasPrefix(foreignScheme)
  }

  /// Returns where the first reference in a text begins, unless it is the end of another word, such as `shop://`.
  static func firstReference(in bytes: ArraySlice<UInt8>) -> Int? {
    var isInWord = false
    for place in bytes.indices {
      let byte = bytes[place]
      if !isInWord, byte == UInt8(ascii: "o") || byte == UInt8(ascii: "c") {
        let rest = bytes[place...]
        if rest.starts(with: foreignScheme.utf8) || rest.starts(with: SecretReference.scheme.utf8) { return place }
      }
      isInWord = wordBytes.contains(byte)
    }
    return nil
  }

  /// What the scheme of a URL consists of (RFC 3986), and `_`.
  private static let wordBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._".utf8)

  /// Returns the reference that a text is or stands for.
  func reference(_ text: String) throws(VaultError) -> SecretReference {
    guard text.hasPrefix(Self.foreignScheme) else { return try SecretReference(text) }
    if let reference = references[text] { return reference }
    let name = text.sanitizedForTerminal()
    throw VaultError(
      .invalidArgument, "the reference \(name) of 1Password stands for no item here",
      recoverySuggestion: path.map { "add a line to \($0.sanitizedForTerminal()): \(name) coffer://…" }
        ?? "say what it stands for in a file, and name that with --map: \(name) coffer://…")
  }
}
