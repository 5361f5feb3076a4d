internal import CofferInspection
internal import CofferSystem

/// What a form has done, as the address of the next page says it. The words are fixed: an address cannot make a page
/// say anything else.
enum Done: String, Sendable {
  case saved, moved, deleted, undone, restored, kept, removed, adopted, added, imported, passphrase

  /// Reads what was done from an address, by its decoded parameters. `csrf` is the token for the form that undoes it.
  static func notice(_ parameter: (String) -> String?, csrf: String) -> Notice? {
    guard let done = parameter("done").flatMap({ Done(rawValue: $0) }) else { return nil }
    let count = parameter("count").flatMap { Int($0) } ?? 1
    switch done {
    case .saved: return Notice(kind: .good, title: "The item was saved.")
    case .moved: return Notice(kind: .good, title: "The item was moved to this group.")
    case .restored: return Notice(kind: .good, title: "The version was restored and is the current one.")
    case .kept: return Notice(kind: .good, title: "The conflict is resolved. The other versions stay in the history.")
    case .adopted:
      return Notice(kind: .good, title: "The version was adopted and is the current one, under your signature.")
    case .added: return Notice(kind: .good, title: "The item was stored.")
    case .imported:
      return Notice(kind: .good, title: text("\(counted(count, "certificate was", "certificates were")) imported."))
    case .passphrase:
      return Notice(
        kind: parameter("short") == nil ? .good : .warning, title: "The passphrase of this machine was changed.",
        detail: parameter("short") == nil
          ? HTML()
          : p { "It is short: whoever copies this machine’s files can find it by trying. Choose a longer one." })
    case .removed:
      return Notice(
        kind: .good, title: "It is removed from the vault.",
        detail: p { "What it could read before, it may have kept." },
        action: linkButton("Items to replace", to: PageAddress("replace")))
    case .undone:
      return Notice(kind: .good, title: text("\(counted(count, "item was", "items were")) brought back."))
    case .deleted:
      return Notice(
        kind: .good, title: text("\(counted(count, "item was", "items were")) deleted."),
        detail: p {
          "This can be undone for \(InspectedVault.undoMinutes) minutes, unless the vault is locked before."
        },
        action: joined {
          div(.class("actions")) {
            parameter("revision").map {
              linkButton("Versions", .history, to: PageAddress("history").with("revision", $0))
            }
            parameter("undo").map { token in
              changeForm(PageAddress("undo", token), csrf: csrf) { submit("Undo", .undo) }
            }
          }
        })
    }
  }
}
