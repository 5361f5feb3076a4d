package import CofferTrust

/// What the registration of an app's plist does.
package struct RegistrationPreview: Hashable, Sendable {
  package let application: ApplicationID
  /// What the app may do more or less than before.
  package let change: RightsChange
  /// The access groups that get new keys, because the app may not read them any more.
  package let renewedGroups: [AccessGroupName]
  /// The number of items in these groups, whose values the app may know.
  package let itemCount: Int
}
