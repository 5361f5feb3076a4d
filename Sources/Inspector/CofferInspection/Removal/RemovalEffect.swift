internal import Coffer
internal import CofferAdministration
internal import CofferSystem

/// One thing that a removal does, for pages and terminals.
package struct RemovalEffect: Sendable {
  /// What is affected. The names of machines and of apps on them are safe to show.
  package enum Subject: Sendable {
    case apps([String])
    case groups([String])
    case others([String])
    case number(Int)
  }

  package let title: String
  package let subject: Subject
  /// What to know or to do about it, as a clause.
  package var note: String?

  /// The effect as a line.
  package var line: String {
    let text =
      switch subject {
      case .apps(let names), .groups(let names), .others(let names):
        names.isEmpty ? "none" : names.joined(separator: ", ")
      case .number(let number): number.grouped
      }
    return "\(title): \(text)\(note.map { "; \($0)." } ?? "")"
  }
}

extension RemovalPreview {
  /// What the removal does.
  package var effects: [RemovalEffect] {
    var effects: [RemovalEffect] = []
    if let formerAdmin {
      let kept = formerAdmin.apps.isEmpty ? "no app" : formerAdmin.apps.joined(separator: ", ")
      effects.append(
        RemovalEffect(
          title: "No admin any more",
          subject: .others(["\(formerAdmin.machine.words), which stays in the vault with \(kept)"])))
    }
    if !machines.isEmpty { effects.append(RemovalEffect(title: "Machines", subject: .others(machines.map(\.words)))) }
    if !apps.isEmpty { effects.append(RemovalEffect(title: "Apps that lose their rights there", subject: .apps(apps))) }
    if !deliveredApps.isEmpty {
      effects.append(
        RemovalEffect(
          title: "Apps whose keys this admin made, which lose their rights there",
          subject: .others(deliveredApps.map(\.words))))
    }
    effects += [
      RemovalEffect(title: "Access groups that get new keys", subject: .groups(groups)),
      RemovalEffect(
        title: "Items that could be read", subject: .number(itemCount),
        note: itemCount > 0 ? "their values should be replaced" : nil),
      RemovalEffect(title: "Records that they wrote and that stay valid", subject: .number(recordCount)),
    ]
    if !enrolledMachines.isEmpty {
      effects.append(
        RemovalEffect(
          title: "Machines that it enrolled and that stay", subject: .others(enrolledMachines.map(\.words)),
          note: "remove them too if you do not know them"))
    }
    return effects
  }
}
