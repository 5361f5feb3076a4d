/// How much a program may have and send.
enum ServiceLimits {
  static let sessions = 256
  /// Of all programs with one identity: their keys are in memory that the system locks.
  static let allSessions = 4_096
  static let prompts = 32
  static let attributes = 64
  static let attributeByteCount = 8_192
  /// Names and values of an item's attributes together. Their record, with escapes, is a part of what an item may have.
  static let allAttributesByteCount = 65_536
  static let aliases = 16
  static let labelByteCount = 8_192
  /// Secrets that one call of `GetSecrets` returns.
  static let answerByteCount = 32 << 20
  static let memoryItems = 1_000
  static let memoryByteCount = 8 << 20
  /// Searches of a locked collection that are remembered.
  static let lockedSearches = 128

  /// Throws for attributes that are more or larger than allowed, or have no name.
  static func check(attributes: [String: String]) throws(ServiceError) {
    guard attributes.count <= Self.attributes else {
      throw .limit("an item has at most \(Self.attributes) attributes")
    }
    let byteCount = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard byteCount <= allAttributesByteCount else {
      throw .limit("the attributes of an item have at most \(allAttributesByteCount) bytes together")
    }
    for (name, value) in attributes {
      guard !name.isEmpty else { throw .invalid("an attribute has no name") }
      guard name.utf8.count <= attributeByteCount, value.utf8.count <= attributeByteCount else {
        throw .limit("names and values of attributes have at most \(attributeByteCount) bytes")
      }
    }
  }

  static func check(label: String) throws(ServiceError) {
    guard label.utf8.count <= labelByteCount else { throw .limit("a label has at most \(labelByteCount) bytes") }
  }
}
