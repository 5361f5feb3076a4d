/// Who a caller is: an app of the vault, whose default access group is the caller's own collection.
package struct CallerIdentity: Hashable, Sendable {
  /// The bundle identifier of the app.
  package let bundleIdentifier: String

  package init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

  /// The app of all programs that nothing tells apart.
  package static let common = CallerIdentity(bundleIdentifier: "coffer.desktop")
}
