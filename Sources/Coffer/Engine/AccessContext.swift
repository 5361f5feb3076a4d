internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// The groups that an author reaches under one state of the membership log.
final class AccessContext: Sendable {
  let log: FoldedLog
  /// In the order in which they are searched.
  let groups: [AccessibleGroup]
  let author: Author
  let signer: SigningKey
  let keyring: Keyring
  let verifier: RecordVerifier
  /// True for a vault without a folder.
  let isInMemory: Bool

  var membership: Membership { log.membership }

  init(log: FoldedLog, session: UnlockedSession) {
    self.log = log
    author = session.author
    signer = session.keys.signing
    keyring = session.keyring
    verifier = session.verifier
    isInMemory = session.isInMemory
    let membership = log.membership
    groups = session.author.groups(in: membership).compactMap { group in
      membership.groups[GroupID(vault: membership.vault, name: group.name.description)]
        .map { AccessibleGroup(registered: $0, access: group.access) }
    }
  }
}
