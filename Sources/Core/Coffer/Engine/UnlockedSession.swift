internal import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault
internal import Synchronization

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
