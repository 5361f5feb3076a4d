internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Synchronization

/// What an unlocked vault works with: keys, and what is derived from them. Locking drops it as a whole, and the keys are wiped
/// with it.
final class UnlockedSession: Sendable {
  let author: Author
  let keys: PartyKeys
  let keyring: Keyring
  let verifier: RecordVerifier
  let isInMemory: Bool
  private let context = Mutex<AccessContext?>(nil)

  init(author: Author, keys: PartyKeys, local: LocalVault) {
    self.author = author
    self.keys = keys
    keyring = Keyring(author: author.id, agreement: keys.agreement, local: local)
    verifier = RecordVerifier(author: author.id, keys: keys)
    isInMemory = local.store.path == Store.memoryPath
  }

  /// What the author reaches under the log as it stands.
  func context(of log: FoldedLog) -> AccessContext {
    context.withLock { known in
      if let known, known.log === log { return known }
      let fresh = AccessContext(log: log, session: self)
      known = fresh
      return fresh
    }
  }
}
