/// A change that was written to a vault, by this process or another one.
public struct VaultChange: Hashable, Sendable {
  /// The full names of the access groups in which items have changed, in the app's order.
  public let accessGroups: [String]
}
