package import CofferCrypto

extension Bytes32 {
  /// A hash as words that people can compare between machines, see ``Phrase``.
  package var phrase: String { Phrase(self).description }
}
