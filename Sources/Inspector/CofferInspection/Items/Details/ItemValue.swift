package import CofferCrypto

/// The value of an item, in memory that is wiped when the last reference to it is released.
package struct ItemValue: Sendable {
  package let bytes: SecretText
  /// Whether the value is UTF-8 text without NUL.
  package let isText: Bool

  /// Takes over a value, and wipes it if it is the only owner of its storage.
  init(moving value: inout [UInt8]) {
    // Validated as bytes: a String would be a copy that is never wiped.
    isText = value.isValidText
    bytes = SecretText(moving: &value)
  }

  /// Takes over a password that was generated: text.
  package init(generated password: SecretText) {
    isText = true
    bytes = password
  }
}

extension [UInt8] {
  /// Whether the bytes are UTF-8 without NUL.
  fileprivate var isValidText: Bool {
    var decoder = UTF8()
    var iterator = makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): if scalar == "\0" { return false }
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}
