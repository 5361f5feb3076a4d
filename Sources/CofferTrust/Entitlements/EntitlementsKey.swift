/// The entitlements that Coffer reads. Every other key of a plist is passed over.
package enum EntitlementsKey: String, CaseIterable, Hashable, Sendable {
  /// The app's full identifier, `$(AppIdentifierPrefix)com.example.photo`: a string.
  case applicationIdentifier = "application-identifier"
  /// Groups that the app reads and writes; the first is its default: an array of strings.
  case keychainAccessGroups = "keychain-access-groups"
  /// Application groups, which serve as access groups too, read and written: an array of strings.
  case applicationGroups = "com.apple.security.application-groups"
  /// Groups that the app reads and may not write, a key of Coffer's own: an array of strings.
  case readOnlyAccessGroups = "coffer-read-only-access-groups"
}
