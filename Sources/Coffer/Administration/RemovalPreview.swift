/// What taking machines or an app out of a vault does.
package struct RemovalPreview: Hashable, Sendable {
  /// The names of the machines that are taken out.
  package let machines: [String]
  /// The identifiers of the apps that lose their rights there.
  package let apps: [String]
  /// The full names of the access groups that get new keys.
  package let groups: [String]
  /// The number of items in these groups, whose values may be known.
  package let itemCount: Int
  /// The number of records by these machines and apps, which stay valid.
  package let recordCount: Int
  /// Whether the vault key is needed, because an admin is taken out.
  package let needsVaultKey: Bool
}
