internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// The engine: searches, verifies, opens and writes items as one author, under one state of the membership log.
///
/// A context lives as long as neither the log nor the lock state changes. Its methods work within a transaction that
/// the caller has begun, see ``Vault/reading(_:)`` and ``Vault/writing(_:)``.
final class AccessContext: GroupAccess, Sendable {
  let log: FoldedLog
  let groups: [AccessibleGroup]
  let author: Author
  let keys: any AuthorKeys
  let keyring: Keyring
  let verifier: RecordVerifier
  let naming: TeamNaming

  var membership: Membership { log.membership }

  init(log: FoldedLog, session: UnlockedSession) {
    self.log = log
    author = session.author
    keys = session.keys
    keyring = session.keyring
    verifier = session.verifier
    naming = session.naming
    groups = session.author.accessibleGroups(in: log.membership, session.naming)
  }

  static func damaged(_ problem: String, in group: AccessibleGroup) -> VaultError {
    VaultError(
      .integrity, "an item in \(group.name) is damaged: \(problem)",
      recoverySuggestion: "the other items are unharmed; restore it with: coffer check --repair")
  }
}

/// The keys of an unlocked vault, and what is derived from them. Locking drops the session, which wipes the keys.
final class UnlockedSession: Sendable {
  let author: Author
  let keys: any AuthorKeys
  let keyring: Keyring
  let verifier: RecordVerifier
  let naming: TeamNaming
  private let context = Mutex<AccessContext?>(nil)

  init(author: Author, keys: any AuthorKeys, local: LocalVault, _ naming: TeamNaming) {
    self.author = author
    self.keys = keys
    keyring = Keyring(author: author.id, keys: keys, local: local)
    verifier = RecordVerifier(author: author.id, keys: keys)
    self.naming = naming
  }

  /// Returns the author's context under a state of the log. It is made anew only when the log has changed.
  func context(of log: FoldedLog) -> AccessContext {
    context.withLock { known in
      if let known, known.log === log { return known }
      let fresh = AccessContext(log: log, session: self)
      known = fresh
      return fresh
    }
  }
}

/// An access group that an author reaches, with its right.
struct AccessibleGroup: Sendable {
  /// The group and its key generations in the membership log.
  let registered: RegisteredGroup
  let access: Entitlements.Access
  /// The full name, as programs see it.
  let name: String

  var id: GroupID { registered.id }
}

extension Author {
  /// The names of the groups that this author reads, in the order in which they are searched, each with the author's
  /// right.
  func groups(in membership: Membership) -> [(name: AccessGroupName, access: Entitlements.Access)] {
    switch role {
    case .admin:
      membership.groups.values.map { (name: $0.name, access: .readWrite) }
        .sorted { $0.name.description < $1.name.description }
    case .principal(let application, _, _):
      membership.apps[application]?.entitlements.groups.compactMap { group in
        guard !groupCuts.isEmpty || cut != nil || membership.isReadOnly(self) else {
          return (name: group.name, access: group.access)
        }
        let id = GroupID(vault: membership.vault, name: group.name.description)
        return membership.access(of: self, to: id).map { (name: group.name, access: $0) }
      } ?? []
    }
  }

  /// Returns those of these groups that have keys.
  func accessibleGroups(in membership: Membership, _ naming: TeamNaming) -> [AccessibleGroup] {
    groups(in: membership).compactMap { group in
      let name = group.name.description
      return membership.groups[GroupID(vault: membership.vault, name: name)].map {
        AccessibleGroup(registered: $0, access: group.access, name: naming.shown(name, of: membership.team))
      }
    }
  }
}

/// How the team of a vault appears in the names of groups and apps that programs see.
struct TeamNaming: Sendable {
  /// Whether the vault is in memory: a literal prefix of any team then means the vault's, because its own is random.
  let isInMemory: Bool
  /// The team that programs see instead of the vault's own, in memory only.
  private let shownTeam: String?

  /// The naming of a vault: its own team, unless it is in memory and has another.
  init(_ memory: MemoryVault?) {
    isInMemory = memory != nil
    shownTeam = memory?.shownTeam
  }

  /// Returns the prefix of names, with its dot.
  func prefix(of team: TeamID) -> String { shownTeam.map { $0 + "." } ?? team.prefix }

  /// Returns a full name as programs see it.
  func shown(_ name: String, of team: TeamID) -> String {
    guard let shownTeam, name.hasPrefix(team.prefix) else { return name }
    return shownTeam + "." + name.dropFirst(team.prefix.count)
  }
}
