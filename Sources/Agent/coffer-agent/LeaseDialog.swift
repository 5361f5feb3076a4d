internal import CofferAgent
internal import CofferPrompt
internal import CofferSystem

/// Asks a person, in a window of the desktop on which the agent was started, whether a process tree may use access groups.
///
/// Not on a terminal, neither the agent's nor the client's: a program that owns the terminal could answer itself. There,
/// `coffer` asks for the passphrase.
struct LeaseDialog: Sendable {
  let groups: [String]
  let lineage: ProcessLineage
  let opening: AgentOpening

  /// Whether there is a desktop.
  static var isAvailable: Bool { PinentryDialog.isDesktop() }

  /// Returns whether a person allows it; nil if no window could be shown.
  func ask(isCancelled: @escaping @Sendable () -> Bool) -> Bool? {
    switch DesktopQuestion(text, confirmTitle: "Allow").ask(isCancelled: isCancelled) {
    case .agreed: true
    case .refused, .unanswered: false
    case .unavailable: nil
    }
  }

  /// The group comes first and what the client says last: a dialog has room for 240 characters.
  var text: String {
    let shown = groups.prefix(2).map { $0.sanitizedForTerminal(limit: 60) }.joined(separator: ", ")
    let more = groups.count > 2 ? " and \(groups.count - 2) more" : ""
    let own = lineage.members[0]
    let place = lineage.terminal.map { " in \($0)" } ?? " without a terminal"
    let parents = lineage.members.dropFirst().prefix(3).map { Self.words(for: $0) }.joined(separator: ", ")
    let reason = opening.reason.sanitizedForTerminal(limit: 80, foldsWhiteSpace: true)
    let why = reason.isEmpty ? "" : " It says: \(reason)"
    let root = lineage.root
    let tree = root.isSame(as: own) ? "" : ", and all that \(Self.words(for: root)) starts,"
    let purpose = opening.purpose == .show ? "show" : "use"
    let time = counted(seconds: Int(opening.leaseSeconds))
    return "Allow \(Self.words(for: own))\(place)\(tree) to \(purpose) \(shown)\(more) for \(time)? "
      + "Started by \(parents.isEmpty ? "the system" : parents).\(why)"
  }

  private static func words(for member: ProcessLineage.Member) -> String {
    "\(member.name.sanitizedForTerminal(limit: 16)) (\(member.identifier))"
  }
}
