/// How the versions of an item in conflict differ. The values are compared, not shown.
package struct ConflictComparison: Sendable {
  /// What each version changed, by its identifier: compared with the newest one that it replaced. A version is missing
  /// if this machine no longer keeps what it replaced.
  package let changes: [String: [VersionChange]]
  /// Whether the values differ; nil if they cannot be compared, because an application password protects one of them, or
  /// because fewer than two versions have a value.
  package let valuesDiffer: Bool?

  package init(changes: [String: [VersionChange]] = [:], valuesDiffer: Bool? = nil) {
    self.changes = changes
    self.valuesDiffer = valuesDiffer
  }
}
