internal import CofferCrypto

/// A browser that has given the one-time token.
struct InspectorSession: Sendable {
  /// The content of the session cookie.
  let identifier: SecretText
  /// What every write must repeat, in the field `csrf` of its form or in the header `X-Coffer-CSRF`.
  let csrfToken: String
}
