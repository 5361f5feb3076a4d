internal import CofferCrypto
package import CofferFormat

extension VaultKey {
  /// Reads a key as typed by a person.
  package init(parsing text: String) throws(ParseError) { try self.init(parsing: SecretText(copying: text.utf8)) }

  /// The key as text.
  package var string: String { unsafe text.withBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
