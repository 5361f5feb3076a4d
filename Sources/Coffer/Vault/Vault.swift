internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
package import CofferTrust
internal import Foundation

/// A vault, opened by an app with its entitlements.
///
/// Any number of programs and threads may use one vault at once. What this one may do is what the vault's membership log
/// says of the app whose credential it holds on this machine.
///
///     let vault = try Vault.open(.bytes(PackageResources.PhotoPro_entitlements))
///     try vault.set("token", for: GenericPassword(service: "api.example.com", account: "jane"))
public final class Vault: Sendable {
  /// An access group of this app.
  public struct AccessGroup: Hashable, Sendable {
    /// The full name, `TEAMID.com.example.shared`.
    public let name: String
    /// False where the app reads the group and every reader refuses what it would write.
    public let isWritable: Bool
  }

  let local: LocalVault
  let author: Author
  /// What it lives in, for a vault in memory.
  let memory: MemoryVault?
  let faults: FaultInjection?
  private let lockState = VaultLock()
  /// Gives the keys for a passphrase, or for none.
  private let keys: @Sendable ([UInt8]?) throws(VaultError) -> PartyKeys

  init(
    local: LocalVault, author: Author, memory: MemoryVault? = nil,
    keys: @escaping @Sendable ([UInt8]?) throws(VaultError) -> PartyKeys
  ) {
    self.local = local
    self.author = author
    self.memory = memory
    faults = memory == nil ? nil : FaultInjection()
    self.keys = keys
  }

  /// Opens a vault as the app that `entitlements` describe.
  ///
  /// The plist must claim nothing beyond what was registered with `coffer app add`; the order of the groups and the default
  /// are the registration's.
  ///
  /// - Parameters:
  ///   - entitlements: How the program says which app it is.
  ///   - location: The vault's folder; the user's own vault where nil (``VaultLocation/standard()``).
  /// - Throws: ``VaultError``: `noVault`; `notEntitled` for an app that is not registered, has no credential on this machine,
  ///   or claims more than its registration; `integrity` for a foreign or altered vault.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil
  ) throws(VaultError) -> Vault {
    let document = try entitlements.document()
    let bundleIdentifier = entitlements.bundleIdentifier(for: document)
    let place = if let location { location } else { try VaultLocation.standard() }
    let folder = VaultFolder(place)
    var loaded: AppCredential?
    let local = try LocalVault(folder) { genesis in
      loaded = credential(of: document, bundleIdentifier, in: folder, genesis)
      return loaded?.pin
    }
    let membership = try local.settledMembership()
    let presented = try membership.expand(document, bundleIdentifier: bundleIdentifier)
    guard let app = membership.apps[presented.applicationID] else {
      throw VaultError(
        .notEntitled, "\(presented.applicationID) is not registered in the vault at \(local.folder.path)",
        mend: "register it on an admin machine with: coffer app add FILE.entitlements")
    }
    do throws(EntitlementsError) {
      try presented.checkSubset(of: app.entitlements, source: document.source)
    } catch {
      throw VaultError(error)
    }
    let known = loaded?.applicationID == app.id.description ? loaded : nil
    return try open(app.id, local: local, membership: membership, known: known)
  }

  /// Opens a vault as a registered app, by its credential alone: what `coffer --app` does.
  package static func open(application: ApplicationID, local: LocalVault) throws(VaultError) -> Vault {
    try open(application, local: local, membership: local.settledMembership(), known: nil)
  }

  /// The credential of the app that a plist names, before the log is read: it tells how much of that the app has verified. Nil
  /// for an app whose plist has another team's prefix, since what it is called stands in the log only.
  private static func credential(
    of document: EntitlementsDocument, _ bundleIdentifier: String?, in folder: VaultFolder, _ genesis: Genesis
  ) -> AppCredential? {
    let bundleID = bundleIdentifier.flatMap { BundleID($0) }
    guard
      let application = try? document.expanded(
        team: TeamID(genesis: genesis.hash), bundleID: bundleID, sourcePrefix: nil
      ).applicationID
    else { return nil }
    let file = folder.credentialFile(of: application)
    // Whatever is wrong with the file is said when it is opened for its keys.
    guard file.exists, let credential = try? AppCredential(file: file), credential.genesis == genesis.hash,
      credential.applicationID == application.description
    else { return nil }
    return credential
  }

  private static func open(
    _ application: ApplicationID, local: LocalVault, membership: Membership, known: AppCredential?
  ) throws(VaultError) -> Vault {
    let file = local.folder.credentialFile(of: application)
    guard file.exists else {
      throw VaultError(
        .notEntitled, "\(application) has no credential on this machine",
        mend: "mint one with: coffer app install \(application)")
    }
    let credential = if let known { known } else { try AppCredential(file: file) }
    guard credential.applicationID == application.description else {
      throw VaultError(
        .integrity, "the credential at \(file.path) is another app's",
        mend: "mint one with: coffer app install \(application)")
    }
    let author = try credential.author(in: membership, of: local)
    try local.checkNotRolledBack(to: credential.seen)
    if credential.seen != membership.head { credential.advance(to: membership.head, in: file, of: membership.vault) }
    let id = membership.vault
    let vault = Vault(local: local, author: author) { (passphrase) throws(VaultError) in
      // Read again each time: a closure that kept the keys would keep them through a lock.
      let current = try AppCredential(file: file)
      guard current.author(in: id) == author.id else {
        throw VaultError(
          .notEntitled, "the credential of \(application) was replaced since the vault was opened",
          mend: "open the vault again")
      }
      return try current.keys(passphrase: passphrase, vault: id)
    }
    if case .open(let credential) = credential { vault.begin(with: credential.keys) }
    return vault
  }

  /// Opens a vault as the machine's owner, who reads and writes every group.
  package static func open(asOwnerOf local: LocalVault, passphrase: PassphraseSource) throws(VaultError) -> Vault {
    let membership = try local.settledMembership()
    let genesis = membership.genesis.hash
    let keys = try AdminKeys.open(local.folder, of: genesis, passphrase: passphrase)
    let id = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    guard let author = membership.authors[id], case .admin = author.role else {
      throw VaultError(
        .notEntitled, "this machine's admin keys are not in the membership log",
        mend: "clone the vault again with the vault key")
    }
    let folder = local.folder
    let vault = Vault(local: local, author: author) { (passphrase) throws(VaultError) in
      try AdminKeys.open(
        folder, of: genesis,
        passphrase: passphrase.map { given in PassphraseSource { () throws(VaultError) in given } } ?? .unavailable)
    }
    vault.begin(with: keys)
    return vault
  }

  /// The app's full identifier; nil where the machine's owner acts.
  public var applicationIdentifier: String? {
    if case .principal(let application, _, _) = author.role { application.description } else { nil }
  }

  /// The app's access groups in Apple's order: a search without a group looks into each of them.
  public var accessGroups: [AccessGroup] {
    get throws(VaultError) {
      author.groups(in: try local.settledMembership()).map {
        AccessGroup(name: $0.name.description, isWritable: $0.access == .readWrite)
      }
    }
  }

  /// The group of a write that names none: the first of the entitlements; nil for the machine's owner.
  public var defaultAccessGroup: String? {
    get throws(VaultError) {
      guard case .principal(let application, _, _) = author.role else { return nil }
      return try local.settledMembership().apps[application]?.entitlements.defaultGroup.description
    }
  }

  // MARK: Locking

  /// True while the vault holds no keys: reading and writing items throws `locked` then.
  ///
  /// An app that was registered with `coffer app add --locked` finds its vault locked. Coffer never asks for a passphrase by
  /// itself: the program does, and calls ``unlock(passphrase:lockAfter:)``.
  public var isLocked: Bool { lockState.isLocked }

  /// Takes the keys into memory.
  ///
  /// - Parameters:
  ///   - passphrase: The machine's passphrase; ignored by an app that was not registered as locked. Deriving a key from it takes
  ///     about half a second and 256 MiB.
  ///   - lockAfter: How long the keys stay when they are not used; nil until ``lock()``.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong passphrase.
  public func unlock(
    passphrase: some SecretValue, lockAfter: Duration? = nil
  ) throws(VaultError) {
    var bytes = passphrase.secretBytes
    defer { bytes.wipe() }
    try unlock(bytes: bytes, lockAfter: lockAfter)
  }

  /// Takes the keys of an app that was not registered as locked into memory again, after ``lock()``. Throws `locked` for others.
  public func unlock(lockAfter: Duration? = nil) throws(VaultError) { try unlock(bytes: nil, lockAfter: lockAfter) }

  /// As ``unlock(passphrase:lockAfter:)``, with what a program asks its user for.
  package func unlock(from source: PassphraseSource) throws(VaultError) {
    var bytes = try source.passphrase()
    defer { bytes.wipe() }
    try unlock(bytes: bytes, lockAfter: nil)
  }

  /// Unlocks as the last time, with a passphrase for keys that are under one.
  func unlock(again passphrase: [UInt8]) throws(VaultError) {
    try unlock(bytes: passphrase, lockAfter: lockState.lastPatience)
  }

  /// Begins unlocked, with keys that were just read.
  func begin(with keys: PartyKeys) {
    lockState.unlock(UnlockedSession(author: author, keys: keys, local: local), patience: nil)
  }

  private func unlock(bytes: [UInt8]?, lockAfter: Duration?) throws(VaultError) {
    try faults?.checkAuthentication()
    lockState.unlock(UnlockedSession(author: author, keys: try keys(bytes), local: local), patience: lockAfter)
  }

  /// Drops the keys from memory. Calls that are under way end as they would have.
  public func lock() { lockState.lock() }

  static func isLocked(_ application: String) -> VaultError {
    VaultError(.locked, "the vault is locked for \(application)", mend: "unlock it with this machine's passphrase")
  }

  // MARK: Access

  /// Runs `body` over one snapshot, with what the author reaches in it.
  func reading<Result>(
    _ body: (borrowing StoreReader, AccessContext) throws -> Result
  ) throws(VaultError) -> Result {
    let session = try session()
    let result = try translatingErrors {
      try local.store.read { reader in try body(reader, session.context(of: local.settledLog(in: reader))) }
    }
    if session.verifier.isWorthSaving { saveVerifications(of: session) }
    return result
  }

  /// Runs `body` as one transaction, durable when this returns.
  func writing<Result>(
    _ body: (borrowing StoreWriter, AccessContext) throws -> Result
  ) throws(VaultError) -> Result {
    let session = try session()
    try faults?.checkWriting()
    return try translatingErrors {
      // What goes with every commit goes with the outer one.
      let isNested = local.store.isHeldByThisThread
      return try local.store.write { writer in
        let result = try body(writer, session.context(of: local.settledLog(in: writer)))
        guard !isNested else { return result }
        try session.verifier.save(to: writer)
        try local.pruneHistory(writer)
        return result
      }
    }
  }

  private func session() throws(VaultError) -> UnlockedSession {
    try faults?.checkAccess()
    guard let session = lockState.session() else { throw Self.isLocked(applicationIdentifier ?? "the owner") }
    return session
  }

  /// A read that has checked many signatures leaves word of it, unless that would have to wait or cannot be.
  private func saveVerifications(of session: UnlockedSession) {
    do {
      try local.store.write(patience: .zero) { try session.verifier.save(to: $0) }
    } catch {
      // They are checked again another time.
    }
  }

  /// Throws where a write to this group would: before a secret is asked for.
  package func checkWritable(_ group: String?) throws(VaultError) {
    try reading { _, context in _ = try context.writableGroup(named: group) }
  }
}
