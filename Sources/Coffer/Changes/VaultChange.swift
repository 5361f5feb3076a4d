/// Something was written to the vault, here or by another process.
public struct VaultChange: Hashable, Sendable {
  /// The full names of the access groups in which items changed, in the app's order.
  public let groups: [String]
}
