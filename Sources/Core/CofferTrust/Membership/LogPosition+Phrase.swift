internal import CofferCrypto
package import CofferFormat

extension Membership {
  /// The head of the log as words that people can compare between machines.
  package var headPhrase: String { head.phrase }
}

extension LogPosition {
  /// The position as words that people can compare between machines.
  package var phrase: String { hash.raw.phrase }
}
