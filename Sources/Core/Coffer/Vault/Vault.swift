package import CofferAgent
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
public import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Dispatch
internal import Synchronization

/// A vault that an app has opened with its entitlements.
///
/// Any number of processes and threads can use one vault at the same time. The membership log, together with the app's
/// credential on this machine, decides what the app may do.
///
///     let vault = try Vault.open(.bytes(PackageResources.PhotoPro_entitlements))
///     try vault.set("token", for: GenericPassword(service: "api.example.com", account: "jane"))
public final class Vault: Sendable {
  /// An access group of this app.
  public struct AccessGroup: Hashable, Sendable {
    /// The full name, `TEAMID.com.example.shared`.
    public let name: String
    /// Whether the app may write to the group. Readers reject records that it writes to a group that is not
    /// writable.
    public let isWritable: Bool
  }

  package let local: LocalVault
  package let id: VaultID
  let author: Author
  /// The key that signs the receipts of the app's vendor, from the plist with which the vault was opened.
  let receiptKey: VerifyingKey?
  /// The storage of a vault in memory; nil for a vault in a folder.
  package let memory: MemoryVault?
  package let faults: FaultInjection?
  /// The broker that has the vault, if this process is in a sandbox.
  let broker: (any VaultBroker)?
  private let lockState = VaultLock()
  /// Whether values are kept from callers: see ``checkValuesMayLeave()``.
  let keepsValues = Atomic(false)
  /// Returns the keys for a passphrase, or for none.
  private let keys: @Sendable (SecretText?) throws(VaultError) -> PartyKeys

  init(
    local: LocalVault, id: VaultID, author: Author, receiptKey: VerifyingKey? = nil, memory: MemoryVault? = nil,
    broker: (any VaultBroker)? = nil, keys: @escaping @Sendable (SecretText?) throws(VaultError) -> PartyKeys
  ) {
    self.local = local
    self.id = id
    self.author = author
    self.receiptKey = receiptKey
    self.memory = memory
    self.broker = broker
    faults = memory == nil ? nil : FaultInjection()
    self.keys = keys
  }

  /// The app's full identifier; nil if the vault was opened by the machine's owner.
  public var applicationIdentifier: String? {
    if let broker { return broker.application }
    guard case .principal(let application, _, _) = author.role else { return nil }
    return TeamNaming(memory).shown(application.description, of: application.team)
  }

  /// The app's access groups in Apple's order. A search without a group searches all of them.
  ///
  /// - Throws: ``VaultError``: `integrity` or `io` if the membership log cannot be read.
  public var accessGroups: [AccessGroup] {
    get throws(VaultError) {
      if let status = try broker?.status {
        return status.groups.map { AccessGroup(name: $0, isWritable: status.writableGroups.contains($0)) }
      }
      let membership = try local.publishedMembership()
      let naming = TeamNaming(memory)
      return author.groups(in: membership).map {
        AccessGroup(
          name: naming.shown($0.name.description, of: membership.team), isWritable: $0.access == .readWrite)
      }
    }
  }

  /// The group of a write that names none: the first group of the entitlements; nil for the machine's owner.
  ///
  /// - Throws: ``VaultError``: `integrity` or `io` if the membership log cannot be read.
  public var defaultAccessGroup: String? {
    get throws(VaultError) {
      if let broker { return try broker.status.defaultGroup }
      guard case .principal(let application, _, _) = author.role else { return nil }
      let membership = try local.publishedMembership()
      return (membership.apps[application]?.entitlements.defaultGroup.description).map {
        TeamNaming(memory).shown($0, of: membership.team)
      }
    }
  }

  /// When the headless credential expires with which the vault was opened; nil for a vault in a folder or in memory.
  ///
  /// An expired credential still opens what it could, but nothing that is sealed under later keys: the program should
  /// tell somebody who can create a new one (`coffer device create`).
  ///
  /// - Throws: ``VaultError``: `integrity` or `io` if the membership log cannot be read.
  public var credentialExpiration: Date? {
    get throws(VaultError) { try local.publishedMembership().devices[author.device]?.expires?.date }
  }

  // MARK: Access

  /// Runs `body` in a read transaction, with the context of the vault's author.
  func reading<Result>(
    _ body: (borrowing StoreReader, AccessContext) throws -> Result
  ) throws(VaultError) -> Result {
    let session = try session()
    let result = try translatingErrors {
      try local.store.read { reader in try body(reader, session.context(of: local.publishedLog(in: reader))) }
    }
    if session.verifier.isWorthSaving { saveVerifications(of: session) }
    return result
  }

  /// Runs `body` as ``reading(_:)``. If it returns nil, something was looked for that this machine does not have:
  /// another one may have written it, so the vault is synced soon if that happens by itself.
  func notingMiss<Result>(
    _ body: (borrowing StoreReader, AccessContext) throws -> Result?
  ) throws(VaultError) -> Result? {
    let result = try reading(body)
    if result == nil { local.folder.noteMiss() }
    return result
  }

  /// Runs `body` in a write transaction, with the context of the vault's author. The transaction is durable when this
  /// returns.
  func writing<Result>(
    _ body: (borrowing StoreWriter, AccessContext) throws -> Result
  ) throws(VaultError) -> Result {
    let session = try session()
    try faults?.checkWriting()
    return try translatingErrors {
      // Only the outermost transaction does the work that belongs to every commit.
      let isNested = local.store.isHeldByThisThread
      return try local.store.write { writer in
        try local.checkNotRevoked(author.device, in: writer)
        let result = try body(writer, session.context(of: local.publishedLog(in: writer)))
        guard !isNested else { return result }
        try session.verifier.save(to: writer)
        try local.pruneHistory(writer)
        return result
      }
    }
  }

  private func session() throws(VaultError) -> UnlockedSession {
    if broker != nil { throw SandboxedApp.unavailable }
    try faults?.checkAccess()
    guard let session = lockState.session() else { throw Self.lockedError(applicationIdentifier ?? "the owner") }
    return session
  }

  /// Saves the results of a read that has verified many signatures, unless it would have to wait or the store is not
  /// writable.
  private func saveVerifications(of session: UnlockedSession) {
    do {
      try local.store.write(timeout: .zero) { try session.verifier.save(to: $0) }
    } catch {
      // They are verified again later.
    }
  }
}

// MARK: Locking

extension Vault {
  /// Whether the vault is locked: its keys are not in memory, and reading and writing items throws `locked`.
  ///
  /// The vault of an app that was registered with `coffer app add --locked` is locked at first, unless the agent has
  /// its keys. The library never asks for a passphrase by itself: the program does, and calls
  /// ``unlock(passphrase:lockAfter:)``. Reading this property does not extend the timeout.
  ///
  /// With keys in the agent, it becomes true when a call does not reach them, for example the first write after
  /// `coffer lock`. Groups that the vault has used before can still be read until then: their keys are in this process.
  public var isLocked: Bool { broker.map { (try? $0.status.isLocked) ?? true } ?? lockState.isLocked }

  /// Unlocks the vault with a passphrase.
  ///
  /// The library keeps its copy of the passphrase in guarded memory and wipes it. The value that is passed, above all a
  /// `String`, is the caller's.
  ///
  /// - Parameters:
  ///   - passphrase: The machine's passphrase, 1 to 1024 bytes. It is ignored for an app that was not registered with
  ///     `--locked`. Deriving a key from it takes about half a second and 256 MiB.
  ///   - lockAfter: The time without use after which the vault locks again; nil to keep it unlocked until ``lock()``.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong passphrase.
  public func unlock(
    passphrase: some SecretValue, lockAfter: Duration? = nil
  ) throws(VaultError) {
    var bytes = passphrase.secretBytes
    defer { bytes.wipe() }
    if let broker { return try broker.unlock(bytes, lockAfter: lockAfter) }
    try unlock(with: SecretText(moving: &bytes), lockAfter: lockAfter)
  }

  /// Unlocks the vault of an app that needs no passphrase, or whose keys the agent has, again after ``lock()``. One
  /// that is unlocked gets the new timeout.
  ///
  /// - Parameter lockAfter: The time without use after which the vault locks again; nil to keep it unlocked until
  ///   ``lock()``.
  /// - Throws: ``VaultError``: `locked` for an app that was registered with `--locked`, unless the user has unlocked
  ///   the agent with `coffer unlock`; `authenticationCancelled` if a person has refused the lease.
  public func unlock(lockAfter: Duration? = nil) throws(VaultError) {
    if let broker { return try broker.unlock(nil, lockAfter: lockAfter) }
    if lockState.setTimeout(lockAfter) { return }
    if try unlockFromAgent(lockAfter: lockAfter) { return }
    try unlock(with: nil, lockAfter: lockAfter)
  }

  /// Whether the keys of the app are sealed under a passphrase, by its credential file as it is now.
  package var isSealed: Bool { if case .principal = author.role { needsPassphrase } else { false } }

  /// Unlocks the vault of an app whose keys the agent of this user has. Returns false if it stays as it was: no agent
  /// has them, or it does not give them to this process. Throws `authenticationCancelled` if a person has refused.
  /// Without `awaitsPerson`, neither this nor a later call waits for a person whom the agent asks: it throws `locked`.
  @discardableResult
  package func unlockFromAgent(
    lockAfter: Duration? = nil, awaitsPerson: Bool = true
  ) throws(VaultError) -> Bool {
    guard isLocked, isSealed, let membership = try? local.publishedMembership()
    else { return false }
    let groups = LockedAccess(author, membership, TeamNaming(nil)).groups.map(\.registered)
    do throws(VaultError) {
      guard
        let keys = try AgentKeeper(for: .use, awaitsPerson: awaitsPerson).keys(
          of: author.id, for: groups, in: local)
      else { return false }
      unlock(with: keys, lockAfter: lockAfter)
      return true
    } catch {
      if error.code == .authenticationCancelled { throw error }
      return false
    }
  }

  /// Unlocks the vault with the passphrase that a source returns, or with the keys of a keeper, for a use of groups
  /// that was checked before; nil for all groups.
  package func unlock(
    from source: PassphraseSource, keeper: (any KeyKeeper)? = nil, for use: GroupUse? = nil
  ) throws(VaultError) {
    if let keeper {
      let access = LockedAccess(author, try local.publishedMembership(), TeamNaming(memory))
      let groups = try use.map { use throws(VaultError) in try access.groups(for: use) } ?? access.groups
      if let keys = try keeper.keys(of: author.id, for: groups.map(\.registered), in: local) {
        return unlock(with: keys)
      }
    }
    try faults?.checkAuthentication()
    let opened = try source.open { (passphrase) throws(VaultError) in try keys(passphrase) }
    keeper?.keep(opened, of: author.id, in: local)
    unlock(with: HeldKeys(opened, of: author.id))
  }

  /// Unlocks with the timeout of the last unlock.
  func unlock(again passphrase: SecretText) throws(VaultError) {
    try unlock(with: passphrase, lockAfter: lockState.lastTimeout)
  }

  /// Unlocks the vault with keys that were just read, or that are kept elsewhere.
  func unlock(with keys: any AuthorKeys, lockAfter: Duration? = nil) {
    lockState.unlock(UnlockedSession(author: author, keys: keys, local: local, TeamNaming(memory)), timeout: lockAfter)
  }

  private func unlock(with passphrase: SecretText?, lockAfter: Duration?) throws(VaultError) {
    try faults?.checkAuthentication()
    unlock(with: HeldKeys(try keys(passphrase), of: author.id), lockAfter: lockAfter)
  }

  /// Locks the vault: wipes the keys from memory. Calls that are running complete.
  public func lock() { broker.map { $0.lock() } ?? lockState.lock() }

  static func lockedError(_ application: String) -> VaultError {
    VaultError(
      .locked, "the vault is locked for \(application)", recoverySuggestion: "unlock it with this machine's passphrase")
  }
}
