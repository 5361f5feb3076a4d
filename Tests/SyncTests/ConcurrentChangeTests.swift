import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A change of membership that reaches the remote second: it is made anew on top of the first, or refused with what the
/// first has changed.
@Suite struct ConcurrentChangeTests {
  /// A change that an admin's owner makes, or that a new machine makes.
  enum Change: String, CaseIterable, Sendable {
    case addApp, removeApp, enrol, revoke, appoint, demote, grant

    /// The arguments of `coffer`.
    func arguments(by machine: String, _ suite: MemberMachines, _ scratch: TemporaryDirectory) throws -> [String] {
      switch self {
      case .addApp:
        let plist = entitlementsPlist("com.example.other", groups: ["~com.example.other"])
        return ["app", "add", try scratch.write("other.entitlements", plist)]
      case .removeApp: return ["app", "remove", app, "--yes"]
      case .enrol:
        return [
          "clone", "--member", "--app", app, "--name", "new", "--no-passphrase", "--vault-key-file", suite.key,
          suite.remote.path,
        ]
      case .revoke: return ["device", "revoke", "ci", "--yes"]
      case .appoint: return ["admin", "add", "ci", "--vault-key-file", suite.key]
      case .demote:
        let other = machine == "laptop" ? "desktop" : "laptop"
        return ["admin", "remove", other, "--yes", "--vault-key-file", suite.key]
      case .grant: return ["app", "install", MemberMachines.other, "--on", "ci"]
      }
    }

    /// Whether a membership has what the change by a machine does.
    func isDone(by machine: String, in membership: Membership) -> Bool {
      func device(_ name: String) -> Device? { membership.devices.values.first { $0.name == name } }
      let apps = Set(membership.apps.keys.map(\.bundleID.description))
      switch self {
      case .addApp: return apps.contains("com.example.other")
      case .removeApp: return !apps.contains(app)
      case .enrol: return device("new") != nil
      case .revoke: return device("ci")?.revocation != nil
      case .appoint: return device("ci")?.admin != nil
      case .demote: return device(machine == "laptop" ? "desktop" : "laptop")?.admin == nil
      case .grant:
        return membership.authors.values.contains { author in
          author.application?.bundleID.description == MemberMachines.other && author.device == device("ci")?.id
            && author.delivery != nil
        }
      }
    }
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let first: Change
    let second: Change
    /// What the second is told; nil if it is made anew on top of the first.
    let refusal: String?

    init(_ first: Change, _ second: Change, _ refusal: String? = nil) {
      self.first = first
      self.second = second
      self.refusal = refusal
    }

    /// Whether what the second wanted is the case afterwards, perhaps because the first has done it.
    var isSecondDone: Bool { refusal == nil || first == second && first != .demote }

    var testDescription: String { "\(first) before \(second)" }
  }

  private static let pairs: [Pair] = [
    Pair(.addApp, .addApp), Pair(.addApp, .removeApp), Pair(.addApp, .enrol), Pair(.addApp, .demote),
    Pair(.removeApp, .addApp), Pair(.removeApp, .removeApp, "was taken out of the vault"),
    Pair(.removeApp, .enrol, "was taken out of the vault"), Pair(.removeApp, .appoint),
    Pair(.enrol, .enrol), Pair(.enrol, .removeApp), Pair(.enrol, .revoke), Pair(.enrol, .demote),
    Pair(.revoke, .revoke, "ci was taken out of the vault"), Pair(.revoke, .appoint, "ci was taken out of the vault"),
    Pair(.revoke, .grant, "ci was taken out of the vault"), Pair(.revoke, .demote),
    Pair(.appoint, .addApp), Pair(.appoint, .appoint, "ci is an admin already"),
    Pair(.appoint, .revoke, "only the vault key takes an admin's machine out"), Pair(.appoint, .grant),
    Pair(.demote, .addApp, "desktop, is a member of the vault since its admin was removed"),
    Pair(.demote, .removeApp, "desktop, is a member of the vault since its admin was removed"),
    Pair(.demote, .grant, "desktop, is a member of the vault since its admin was removed"),
    Pair(.demote, .revoke, "desktop, is a member of the vault since its admin was removed"),
    Pair(.demote, .appoint), Pair(.demote, .enrol), Pair(.demote, .demote, "laptop is the vault's only admin"),
    Pair(.grant, .grant), Pair(.grant, .revoke), Pair(.grant, .appoint), Pair(.grant, .demote),
  ]

  /// The machines before every pair. Made once; tests only copy their folders, so that nothing is shared that changes.
  nonisolated(unsafe) private static let machines = Result {
    let machines = try MemberMachines()
    machines.deleteAtExit()
    return machines
  }

  private func run(
    _ change: Change, by machine: Machine, named name: String, _ suite: MemberMachines
  ) throws -> Machine.Outcome {
    let actor = change == .enrol ? try Machine() : machine
    return try actor.start("coffer", change.arguments(by: name, suite, actor.directory)).wait()
  }

  @Test(arguments: pairs)
  func `The second of two changes is made anew on top of the first, or refused with what changed`(pair: Pair) throws {
    let suite = try unsafe MemberMachines(copying: Self.machines.get())
    let before = suite.remote.tip
    let first = try run(pair.first, by: suite.laptop, named: "laptop", suite)
    #expect(first.exitCode == 0, "\(first)")
    if pair.first == .enrol { try suite.sync(suite.laptop) }
    let (tip, head) = (suite.remote.tip, try suite.laptop.local.membership().head)
    #expect(try pair.first.isDone(by: "laptop", in: suite.laptop.local.membership()))
    // The second program sees the remote without the first change until it pushes its own.
    try suite.remote.serve(before)
    try suite.remote.setPushHook(
      """
      [ -e raced ] && exit 0
      touch raced
      unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      git update-ref refs/heads/vault-1 \(tip)
      exit 1
      """)
    let second = try run(pair.second, by: suite.desktop, named: "desktop", suite)
    #expect(FileManager.default.fileExists(atPath: suite.remote.path + "/raced"))
    if let refusal = pair.refusal {
      #expect(second.exitCode != 0 && second.errors.contains(refusal), "\(second)")
    } else {
      #expect(second.exitCode == 0, "\(second)")
    }
    try suite.sync(suite.laptop, suite.desktop, suite.laptop)
    for machine in [suite.laptop, suite.desktop] {
      let local = try machine.local
      let membership = try local.membership()
      #expect(try local.fork() == nil && membership.head.sequence >= head.sequence)
      let entry = try local.store.read { try $0.logEntry(head.sequence).map { try LogEntry(bytes: $0.entry) } }
      #expect(entry?.position == head, "the first change stays as it was")
      #expect(pair.second.isDone(by: "desktop", in: membership) == pair.isSecondDone)
      #expect(try machine.run("coffer", "log", "--verify").exitCode == 0)
    }
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
  }
}
