/// One access group of an app.
package struct EntitledGroup: Hashable, Sendable {
  /// The group's full name.
  package let name: AccessGroupName
  package let key: EntitlementsKey

  /// The app's access to the group.
  package var access: Entitlements.Access { key == .readOnlyAccessGroups ? .readOnly : .readWrite }
}
