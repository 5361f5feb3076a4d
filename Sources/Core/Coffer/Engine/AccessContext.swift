internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

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
