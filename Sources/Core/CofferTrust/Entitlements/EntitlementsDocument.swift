package import CofferCrypto
internal import CofferPlatform

/// An entitlements plist before the variables in its names, such as `$(AppIdentifierPrefix)`, are expanded.
///
/// The file is untrusted. XML in UTF-8 and binary property lists of at most 64 KiB are accepted. A file that could be
/// interpreted in two ways, or exhaust the memory, is rejected before it is parsed.
package struct EntitlementsDocument: Hashable, Sendable {
  /// The size limit of a plist, in bytes.
  package static let maximumByteCount = 64 * 1024
  /// The maximum number of groups of an app, including its own.
  package static let maximumGroupCount = 64

  /// The path or other name of the plist, with which errors start.
  package let source: String
  /// The value of `application-identifier` as written; nil if the plist has none.
  package let applicationIdentifier: String?
  /// The groups of the three lists as written, by the entitlement that lists them. A missing list is the same as an
  /// empty one.
  let groups: [EntitlementsKey: [String]]
  /// The team key and its signature as written, not verified; nil for a plist that no vendor has signed.
  let claimedTeam: ClaimedTeam?
  /// The key of the vendor's shop, which signs receipts; nil if the plist names none.
  package let receiptKey: VerifyingKey?

  /// Reads the bytes of a plist. `source` is its name in errors: a path, or `embedded in …`.
  ///
  /// Names are validated when they are expanded.
  package init(bytes: [UInt8], source: String) throws(EntitlementsError) {
    guard bytes.count <= Self.maximumByteCount else {
      throw EntitlementsError(
        .tooLarge, source: source, what: "has \(bytes.count) bytes; the limit is \(Self.maximumByteCount)",
        recoverySuggestion: "check that this is the app's entitlements plist")
    }
    let values = try Self.dictionary(bytes, source: source)
    self.source = source

    // In the signature of a macOS program, the key has a longer name.
    let key = EntitlementsKey.applicationIdentifier.rawValue
    switch values[key] ?? values["com.apple." + key] {
    case nil: applicationIdentifier = nil
    case let text as String: applicationIdentifier = text
    default:
      throw EntitlementsError(
        .wrongType, source: source, key: .applicationIdentifier, what: "is not a string",
        recoverySuggestion: "write <string>$(AppIdentifierPrefix)com.example.app</string>")
    }

    var groups: [EntitlementsKey: [String]] = [:]
    for key in [EntitlementsKey.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups] {
      groups[key] = try Self.strings(values[key.rawValue], key: key, source: source)
    }
    self.groups = groups
    claimedTeam = try ClaimedTeam(in: values, source: source)
    receiptKey = try Self.receiptKey(values[Self.receiptKeyName], source: source)
    let count = groups.values.reduce(0) { $0 + $1.count }
    guard count <= Self.maximumGroupCount else { throw Self.tooManyGroups(count, source: source) }
  }

  /// The entitlement with the key that signs the vendor's receipts: base64 of 32 bytes.
  package static let receiptKeyName = "coffer-receipt-key"

  private static func receiptKey(_ value: Any?, source: String) throws(EntitlementsError) -> VerifyingKey? {
    guard let value else { return nil }
    guard let key = ClaimedTeam.decoded(value).flatMap({ Bytes32($0) }) else {
      throw EntitlementsError(
        .wrongType, source: source, what: "has no \(receiptKeyName) of 32 bytes in base64",
        recoverySuggestion: "write the public key that `coffer receipt key FILE` has printed")
    }
    return VerifyingKey(key)
  }

  static func tooManyGroups(_ count: Int, source: String) -> EntitlementsError {
    EntitlementsError(
      .tooLarge, source: source, what: "gives the app \(count) groups; the limit is \(maximumGroupCount)",
      recoverySuggestion: "remove groups from the plist")
  }

  static func dictionary(_ bytes: [UInt8], source: String) throws(EntitlementsError) -> [String: Any] {
    func malformed(_ what: String) -> EntitlementsError {
      EntitlementsError(
        .malformed, source: source, what: what,
        recoverySuggestion: "write an XML property list in UTF-8, or a binary one, as Xcode does")
    }
    let scanned: ScannedPropertyList
    do { scanned = try ScannedPropertyList(bytes) } catch { throw malformed(error.what) }

    var format = PropertyListDecoder.PropertyListFormat.openStep
    let list: Any
    do {
      list = try PropertyListDecoder().decode(ParsedPropertyList.self, from: Data(scanned.bytes), format: &format).value
    } catch {
      throw malformed("is not a property list" + reason(error))
    }
    // The parser also accepts an older syntax, which the checks above do not cover.
    guard format == (scanned.isBinary ? .binary : .xml) else { throw malformed("is not a property list") }
    guard scanned.value.matches(list) else { throw malformed("is read differently by two parsers") }
    guard let values = list as? [String: Any] else {
      throw EntitlementsError(
        .wrongType, source: source, what: "is not a dictionary",
        recoverySuggestion: "put the entitlements into one outermost <dict>")
    }
    return values
  }

  /// Returns the position at which the parser stopped, if the error contains it.
  private static func reason(_ error: any Error) -> String {
    guard case .dataCorrupted(let context) = error as? DecodingError,
      let cause = context.underlyingError as? CocoaError,
      let text = unsafe cause.userInfo["NSDebugDescription"] as? String
    else { return "" }
    return " (" + String(text.prefix(120)) + ")"
  }

  private static func strings(
    _ value: Any?, key: EntitlementsKey, source: String
  ) throws(EntitlementsError) -> [String] {
    func wrongType(_ what: String) -> EntitlementsError {
      EntitlementsError(
        .wrongType, source: source, key: key, what: what,
        recoverySuggestion: "write an <array> with one <string> for each group")
    }
    guard let value else { return [] }
    guard let elements = value as? [Any] else { throw wrongType("is not an array") }
    var strings: [String] = []
    for element in elements {
      guard let text = element as? String else { throw wrongType("contains something other than a string") }
      strings.append(text)
    }
    return strings
  }
}

extension EntitlementsDocument {
  /// Checks the keys of a plist that is about to be registered. Throws `misspelledKey` for one that differs from a key
  /// that Coffer reads in at most two characters or in capitals: its groups would be ignored without a word.
  ///
  /// Plists of the membership log are not checked: they were registered as they are.
  package static func checkSpelling(ofKeysIn bytes: [UInt8], source: String) throws(EntitlementsError) {
    guard bytes.count <= maximumByteCount else { return }
    let known = EntitlementsKey.allCases.map(\.rawValue) + [receiptKeyName]
    for name in try dictionary(bytes, source: source).keys.sorted() {
      guard !known.contains(name), let meant = known.first(where: { isAlmost(name, $0) }) else { continue }
      throw EntitlementsError(
        .misspelledKey, source: source, what: "has the key \(quoted(name)), which Coffer does not read",
        recoverySuggestion: "write <key>\(meant)</key>")
    }
  }

  private static let maximumDistance = 2

  /// Whether at most two insertions, deletions and replacements lead from one text to the other, apart from capitals.
  private static func isAlmost(_ text: String, _ other: String) -> Bool {
    let (text, other) = (Array(text.lowercased().utf8), Array(other.lowercased().utf8))
    guard abs(text.count - other.count) <= maximumDistance else { return false }
    var distances = Array(0...other.count)
    for (row, byte) in text.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, otherByte) in other.enumerated() {
        let replaced = diagonal + (byte == otherByte ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = min(replaced, diagonal + 1, distances[column] + 1)
      }
    }
    return distances[other.count] <= maximumDistance
  }
}
