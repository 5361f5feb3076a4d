internal import CofferInspection

/// What a change does besides what its form says.
enum ChangeWarning {
  /// For forms that change an item in conflict; nil for any other item.
  static func conflict(_ details: ItemDetails) -> Notice? {
    guard !details.conflict.isEmpty else { return nil }
    return Notice(
      kind: .warning, title: "This ends the conflict.",
      detail: p {
        """
        Machines have changed the item at the same time. This form shows the current version; a change of it replaces all \
        \(details.conflict.count) versions. The others stay in the history for 30 days.
        """
      })
  }

  /// For a form in which the item can be made one that stays here.
  static let staysHere: HTML =
    "If you choose one that stays on this machine, the next sync deletes the item on all other machines."

  /// For a button that restores a version; nil if there is nothing to say.
  static func restoring(_ version: ItemVersionRow, among versions: [ItemVersionRow]) -> HTML? {
    let endsConflict = versions.contains(where: \.isInConflict)
    let isSynced = versions.contains { $0.isCurrent && !$0.isDeletion && !$0.isDeviceLocal }
    let staysHere = version.isDeviceLocal && !version.isDeletion && isSynced
    guard endsConflict || staysHere else { return nil }
    return p(.class("hint")) {
      if endsConflict { "Restoring it ends the conflict: it replaces all versions that are in conflict. " }
      if staysHere {
        "This version stays on this machine: if you restore it, the next sync deletes the item on all other machines."
      }
    }
  }
}
