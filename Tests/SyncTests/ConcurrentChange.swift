import CofferTestSupport
import CofferTrust

/// A change of membership that an admin's owner makes or, to enrol a machine, its own. The laptop is an admin and makes
/// the first of two changes, the desktop is another one and makes the second; `ci` is a member.
enum ConcurrentChange: String, CaseIterable, Sendable {
  case addApp, updateApp, removeApp, enrol, revokeMember, revokeAdmin, appoint, demote, rotate, grant

  /// What the second of two changes is told.
  struct Refusal: Equatable {
    let words: String
    /// Whether the first change has done what the second one would have.
    let isDone: Bool

    init(_ words: String, isDone: Bool = false) {
      self.words = words
      self.isDone = isDone
    }
  }

  /// The admin's machine that an admin removes or makes a member.
  private static func other(than machine: String) -> String { machine == "laptop" ? "desktop" : "laptop" }

  /// What the desktop is told if its change reaches the remote after the laptop's; nil if it is made anew on top of
  /// that.
  func refusal(after first: ConcurrentChange) -> Refusal? {
    switch (first, self) {
    // The transport key is new, and sealed to the machines that were enrolled before.
    case (.revokeMember, .enrol), (.revokeAdmin, .enrol):
      Refusal(
        "a machine was removed from the vault meanwhile, and the vault's keys were replaced; run `coffer clone` again")
    // The laptop has removed the desktop, or its admin.
    case (.revokeAdmin, _): Refusal("this machine was removed from the vault")
    case (.rotate, .enrol), (.rotate, .revokeAdmin), (.rotate, .appoint), (.rotate, .demote), (.rotate, .rotate):
      Refusal("this vault key was replaced on", isDone: self == .rotate)
    case (.demote, .revokeAdmin), (.demote, .demote): Refusal("laptop is the vault's only admin")
    case (.demote, .addApp), (.demote, .updateApp), (.demote, .removeApp), (.demote, .revokeMember), (.demote, .grant):
      Refusal("desktop, is a member of the vault since its admin was removed")
    // The machine that the change needs is gone, or another one now.
    case (.revokeMember, .revokeMember): Refusal("ci was removed from the vault", isDone: true)
    case (.revokeMember, .appoint), (.revokeMember, .grant): Refusal("ci was removed from the vault")
    case (.appoint, .revokeMember): Refusal("only the vault key removes an admin's machine")
    case (.appoint, .appoint): Refusal("ci is an admin already", isDone: true)
    // The app that the change needs is gone, or has more groups now.
    case (.removeApp, .removeApp): Refusal("was removed from the vault", isDone: true)
    case (.removeApp, .enrol): Refusal("was removed from the vault")
    case (.updateApp, .updateApp): Refusal("would lose its rights in")
    default: nil
    }
  }

  /// The arguments of `coffer`.
  ///
  /// - Parameters:
  ///   - machine: The machine that makes the change.
  ///   - suite: The machines.
  ///   - scratch: The folder for the plists.
  /// - Returns: The arguments.
  /// - Throws: Errors of the file system.
  func arguments(by machine: String, _ suite: MemberMachines, _ scratch: TemporaryDirectory) throws -> [String] {
    let other = Self.other(than: machine)
    switch self {
    case .addApp:
      let plist = entitlementsPlist("com.example.other", groups: ["~com.example.other"])
      return ["app", "add", try scratch.write("other.entitlements", plist)]
    case .updateApp:
      let groups = [app, "com.example.photo.purchases", "com.example.photo.\(machine)"].map { "~\($0)" }
      return ["app", "add", try scratch.write("updated.entitlements", entitlementsPlist(app, groups: groups))]
    case .removeApp: return ["app", "remove", app, "--yes"]
    case .enrol:
      return [
        "clone", "--member", "--app", app, "--name", "new", "--no-passphrase", "--vault-key-file", suite.key,
        suite.remote.path,
      ]
    case .revokeMember: return ["device", "revoke", "ci", "--yes"]
    case .revokeAdmin: return ["device", "revoke", other, "--yes", "--vault-key-file", suite.key]
    case .appoint: return ["admin", "add", "ci", "--vault-key-file", suite.key]
    case .demote: return ["admin", "remove", other, "--yes", "--vault-key-file", suite.key]
    case .rotate:
      let file = scratch.path("new-vault-key")
      return ["vault-key", "rotate", "--vault-key-file", suite.key, "--new-vault-key-file", file]
    case .grant: return ["app", "install", MemberMachines.other, "--on", "ci"]
    }
  }

  /// Whether a membership has what the change does.
  ///
  /// - Parameters:
  ///   - machine: The machine that makes the change.
  ///   - membership: The membership.
  ///   - count: How often the change was made.
  /// - Returns: Whether it has.
  func isDone(by machine: String, in membership: Membership, count: Int = 1) -> Bool {
    func device(_ name: String) -> Device? { membership.devices.values.first { $0.name == name } }
    let apps = Dictionary(uniqueKeysWithValues: membership.apps.values.map { ($0.id.bundleID.description, $0) })
    switch self {
    case .addApp: return apps["com.example.other"] != nil
    case .updateApp:
      return apps[app]?.entitlements.groups.contains { $0.name.description.hasSuffix(".photo.\(machine)") } == true
    case .removeApp: return apps[app] == nil
    case .enrol: return membership.members.count { $0.name.hasPrefix("new") } == count
    case .revokeMember: return device("ci")?.revocation != nil
    case .revokeAdmin: return device(Self.other(than: machine))?.revocation != nil
    case .appoint: return device("ci")?.admin != nil
    case .demote: return device(Self.other(than: machine))?.admin == nil
    case .rotate: return membership.rootGeneration > 1
    case .grant:
      return membership.authors.values.contains { author in
        author.application?.bundleID.description == MemberMachines.other && author.device == device("ci")?.id
          && author.delivery != nil
      }
    }
  }

  /// Makes the change.
  ///
  /// - Parameters:
  ///   - machine: The machine that makes it.
  ///   - name: Its name.
  ///   - suite: The machines.
  /// - Returns: The outcome of the command.
  /// - Throws: An error if the command cannot be started.
  func make(by machine: Machine, named name: String, _ suite: MemberMachines) throws -> Machine.Outcome {
    let actor = self == .enrol ? try Machine() : machine
    return try actor.start("coffer", arguments(by: name, suite, actor.directory)).wait()
  }
}
