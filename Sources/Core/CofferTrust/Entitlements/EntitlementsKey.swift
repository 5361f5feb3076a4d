/// The entitlements that Coffer reads. All other keys of a plist are ignored.
package enum EntitlementsKey: String, CaseIterable, Hashable, Sendable {
  /// The app's full identifier, `$(AppIdentifierPrefix)com.example.photo`: a string.
  case applicationIdentifier = "application-identifier"
  /// Groups that the app reads and writes; the first is the default group: an array of strings.
  case keychainAccessGroups = "keychain-access-groups"
  /// Application groups, which are access groups that the app reads and writes: an array of strings.
  case applicationGroups = "com.apple.security.application-groups"
  /// Groups that the app reads but must not write, a key defined by Coffer: an array of strings.
  case readOnlyAccessGroups = "coffer-read-only-access-groups"
}
