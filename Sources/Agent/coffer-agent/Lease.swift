internal import CofferAgent
internal import CofferFormat
internal import CofferPlatform
internal import CofferPrompt
internal import CofferSystem
internal import CofferTrust
internal import Synchronization

/// The answer of a person that a process tree may use an access group.
struct Lease: Sendable {
  let folder: String
  let author: AuthorID
  let group: GroupID
  /// The name of the group, to show.
  let name: String
  /// The process at the top of the tree.
  let root: ProcessLineage.Member
  /// Whether that is a tree that `coffer run --deny-reads` has started. It does not have the leases of the tree around
  /// it, which a person has given for other programs.
  let isForDeniedTree: Bool
  /// What it was given for. In such a tree, a lease to use values does not let it show them.
  let purpose: KeyPurpose
  let end: ContinuousClock.Instant

  init(
    of group: RegisteredGroup, as author: AuthorID, folder: String, for purpose: KeyPurpose, _ lineage: ProcessLineage,
    seconds: UInt32
  ) {
    self.folder = folder
    self.author = author
    self.group = group.id
    name = group.name.description
    root = lineage.root
    isForDeniedTree = lineage.deniesReads
    self.purpose = purpose
    end = ContinuousClock.now + .seconds(Int(seconds))
  }

  func covers(_ lineage: ProcessLineage, for purpose: KeyPurpose, at now: ContinuousClock.Instant) -> Bool {
    now < end && lineage.isBelow(root) && lineage.deniesReads == isForDeniedTree
      && (!isForDeniedTree || self.purpose == .show || purpose == .use)
  }
}

/// Asks a person, in a window of the desktop on which the agent was started, whether a process tree may use access
/// groups.
///
/// Not on a terminal, neither the agent's nor the client's: a program that owns the terminal could answer itself.
/// There, `coffer` asks for the passphrase.
struct LeaseDialog: Sendable {
  /// The names of the groups without the team.
  let groups: [String]
  /// The name of this machine, safe to show.
  let machine: String
  let lineage: ProcessLineage
  let opening: AgentOpening

  /// Whether there is a desktop.
  static var isAvailable: Bool { PinentryDialog.isDesktop() }

  /// Returns whether a person allows it; nil if no window could be shown.
  func ask(isCancelled: @escaping @Sendable () -> Bool) -> Bool? {
    switch DesktopQuestion(lines).ask(isCancelled: isCancelled) {
    case .agreed: true
    case .refused, .unanswered: false
    case .unavailable: nil
    }
  }

  /// The lines of the question: the groups come first and what the client says last, because a dialog has little room.
  var lines: [String] {
    let shown = groups.prefix(2).map { $0.sanitizedForTerminal(limit: 60) }.joined(separator: ", ")
    let more = groups.count > 2 ? " and \(groups.count - 2) more" : ""
    let (own, root) = (lineage.members[0], lineage.root)
    let parents = lineage.members.dropFirst().prefix(3).reversed().map(Self.name).joined(separator: " ▸ ")
    let place = lineage.terminal.map { "in \($0)" } ?? "no terminal"
    let reason = opening.reason.sanitizedForTerminal(limit: 80, foldsWhiteSpace: true)
    let purpose = opening.purpose == .show ? "show" : "use"
    let time = counted(seconds: Int(opening.leaseSeconds))
    var lines = [
      "Allow \(Self.name(of: own)) to \(purpose) passwords of \(shown)\(more) for \(time)?",
      "Asked by \(parents.isEmpty ? "the system" : parents) on \(machine), \(place)",
    ]
    if !root.isSame(as: own) { lines.append("Counts for all that \(Self.name(of: root)) (\(root.identifier)) starts") }
    if !reason.isEmpty { lines.append("Reason given: “\(reason)”") }
    return lines
  }

  /// The name of a process, which chooses it: it cannot look like several.
  private static func name(of member: ProcessLineage.Member) -> String {
    member.name.sanitizedForTerminal(limit: 16).replacing("▸", with: "?")
  }
}

/// Which questions wait for a person, and which were refused lately: a program cannot wear a person out, nor hide a
/// question behind many others.
final class LeaseQuestions: Sendable {
  private struct State {
    /// The tops of the process trees that wait.
    var waiting: [ProcessLineage.Member] = []
    var refusals: [(root: ProcessLineage.Member, time: ContinuousClock.Instant)] = []
  }

  private let state = Mutex(State())

  /// How many questions of one process tree, and of all of them, wait at once.
  private static let (treeLimit, limit) = (2, 8)
  /// For how long a process tree that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(30)
  /// After this many refusals within a minute, nobody is asked for any tree: a program can begin new ones.
  private static let refusalLimit = 5
  private static let minute = Duration.seconds(60)

  /// Calls `ask`, which returns false if a person has refused, and nil if no person has answered. Nil if none is asked,
  /// because too many questions wait, or because one was refused a moment ago.
  func pose<Answer>(of lineage: ProcessLineage, _ ask: () -> (answer: Answer, isRefused: Bool)) -> Answer? {
    let root = lineage.root
    let isAdmitted = state.withLock { state in
      let now = ContinuousClock.now
      state.refusals.removeAll { $0.time + Self.minute < now }
      guard state.refusals.count < Self.refusalLimit,
        !state.refusals.contains(where: { $0.time + Self.refusalTime > now && lineage.isBelow($0.root) }),
        state.waiting.count < Self.limit, state.waiting.count(where: { $0.isSame(as: root) }) < Self.treeLimit
      else { return false }
      state.waiting.append(root)
      return true
    }
    guard isAdmitted else { return nil }
    let (answer, isRefused) = ask()
    state.withLock { state in
      if let place = state.waiting.firstIndex(where: { $0.isSame(as: root) }) { state.waiting.remove(at: place) }
      if isRefused { state.refusals.append((root, .now)) }
    }
    return answer
  }
}
