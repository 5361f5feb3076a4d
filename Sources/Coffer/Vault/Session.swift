internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Synchronization

/// What an unlocked vault works with: keys, and what is derived from them. Locking drops it as a whole, and the keys are wiped
/// with it.
final class Session: Sendable {
  let author: Author
  let keys: PartyKeys
  let keyring: Keyring
  let verifier: RecordVerifier
  let isInMemory: Bool
  private let scope = Mutex<Scope?>(nil)

  init(author: Author, keys: PartyKeys, local: LocalVault) {
    self.author = author
    self.keys = keys
    keyring = Keyring(author: author.id, agreement: keys.agreement, local: local)
    verifier = RecordVerifier(author: author.id, keys: keys)
    isInMemory = local.store.path == Store.memoryPath
  }

  /// What the author reaches under the log as it stands.
  func scope(of log: FoldedLog) -> Scope {
    scope.withLock { known in
      if let known, known.log === log { return known }
      let fresh = Scope(log: log, session: self)
      known = fresh
      return fresh
    }
  }
}

/// The groups that an author reaches under one state of the membership log.
final class Scope: Sendable {
  /// A group, with what may be done there.
  struct Target: Sendable {
    let group: RegisteredGroup
    let access: Entitlements.Access

    var name: String { group.name.description }
  }

  let log: FoldedLog
  /// In the order in which they are searched.
  let targets: [Target]
  let author: Author
  let signer: SigningKey
  let keyring: Keyring
  let verifier: RecordVerifier
  /// True for a vault without a folder.
  let isInMemory: Bool

  var membership: Membership { log.membership }

  init(log: FoldedLog, session: Session) {
    self.log = log
    author = session.author
    signer = session.keys.signing
    keyring = session.keyring
    verifier = session.verifier
    isInMemory = session.isInMemory
    let membership = log.membership
    targets = session.author.groups(in: membership).compactMap { group in
      membership.groups[GroupID(vault: membership.vault, name: group.name.description)]
        .map { Target(group: $0, access: group.access) }
    }
  }
}
