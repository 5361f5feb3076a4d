internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Foundation
internal import Synchronization

/// A vault without a folder: real keys, a real membership log and a real store, all of it in memory. It goes with the last vault
/// that was opened on it.
final class MemoryVault: Sendable {
  private let local: LocalVault
  private let admin = PartyKeys.random()
  private let device = PartyKeys.random()
  private let transportKey = TransportKey.random()
  /// The keys of each app that was opened.
  private let principals = Mutex<[ApplicationID: PartyKeys]>([:])
  /// What tells its owner's passphrase; nil where it has none.
  let ownerPassphrase: OwnerPassphrase?

  init(passphrase: [UInt8]?) throws(VaultError) {
    guard passphrase.map({ PasswordHash.passphraseByteCounts.contains($0.count) }) ?? true else {
      throw VaultError.unusablePassphrase
    }
    ownerPassphrase = passphrase.map { OwnerPassphrase(is: $0) }
    let root = PartyKeys.random()
    let genesis = Genesis(
      vault: .random(), created: .now, root: root, firstDevice: device.publicKeys, firstAdmin: admin.publicKeys)
    var draft = LogDraft(membership: Membership(genesis: genesis), transportKey: transportKey)
    try draft.append(
      .device(DeviceStatement(keys: device.publicKeys, adminKeys: admin.publicKeys, name: "memory")), by: .root,
      key: root.signing)
    let store = try translatingErrors {
      let store = try Store.createInMemory(genesis: genesis.bytes, rootSlot: [])
      try store.write { try draft.commit(to: $0) }
      return store
    }
    local = try LocalVault(
      VaultFolder(URL(fileURLWithPath: "/\(Store.memoryPath)")), store: store, localSecret: .random(count: 32))
  }

  /// Opens the vault as the app that `source` describes, which is registered where it is not yet.
  func open(_ source: EntitlementsSource) throws(VaultError) -> Vault {
    let (plist, name) = try source.plist()
    let document = try EntitlementsSource.parse(plist, source: name)
    // A prefix that the plist has written out is taken for this vault's, which nobody could have known.
    let prefix = document.literalPrefix
    let entitlements = try local.membership().expand(
      document, bundleIdentifier: source.bundleIdentifier(for: document), sourcePrefix: prefix)
    let application = entitlements.applicationID
    let keys = principals.withLock { principals in
      let keys = principals[application] ?? .random()
      principals[application] = keys
      return keys
    }
    try register(plist, name, prefix, entitlements, keys)
    let membership = try local.membership()
    guard let author = membership.authors[AuthorID(vault: membership.vault, keys: keys.publicKeys)] else {
      throw VaultError(.notEntitled, "\(application) is not in the membership log")
    }
    let vault = Vault(local: local, author: author, memory: self) { (_) throws(VaultError) in keys }
    try vault.unlock()
    return vault
  }

  private func register(
    _ plist: [UInt8], _ name: String, _ prefix: String?, _ entitlements: Entitlements, _ keys: PartyKeys
  ) throws(VaultError) {
    let application = entitlements.applicationID
    try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let id = AuthorID(vault: membership.vault, keys: admin.publicKeys)
        var draft = LogDraft(membership: membership, transportKey: transportKey)
        if let known = membership.apps[application]?.entitlements {
          try entitlements.checkSubset(of: known, source: name)
        } else {
          let statement = AppStatement(
            applicationID: application.description, bundleID: application.bundleID.description, sourcePrefix: prefix,
            isLocked: false, entitlements: plist)
          try draft.append(.app(statement), by: .admin(id), key: admin.signing)
        }
        guard let app = draft.membership.apps[application] else { return }
        if membership.authors[AuthorID(vault: membership.vault, keys: keys.publicKeys)] == nil {
          let device = DeviceID(vault: membership.vault, keys: device.publicKeys)
          try draft.append(
            .principal(PrincipalStatement(app: app.registration, device: device, keys: keys.publicKeys)),
            by: .admin(id), key: admin.signing)
        }
        try draft.handOutGroups(of: app.entitlements, as: id, with: admin)
        try draft.commit(to: writer)
      }
    }
  }
}

extension Vault {
  /// A vault in memory, for tests of apps and for programs that keep nothing: same rules, same errors, no files.
  ///
  /// It registers the app by its plist as it is, so that entitlements, default group and read-only groups are those of the real
  /// one. A team prefix that the plist has written out stands for the vault's own. What it holds goes with it.
  /// ``reopened(as:)`` opens it as another app too.
  ///
  /// - Parameter passphrase: The owner's, 1 to 1024 bytes, which Keychain's items under user presence ask for; nil for a machine
  ///   without one.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would refuse.
  public static func inMemory(
    entitlements: EntitlementsSource = .automatic, passphrase: (some SecretValue)? = [UInt8]?.none
  ) throws(VaultError) -> Vault {
    try MemoryVault(passphrase: passphrase?.secretBytes).open(entitlements)
  }

  /// Opens the same vault in memory as another app, or as the same one again, as another process would.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder, which `open` opens; `notEntitled` as
  ///   ``inMemory(entitlements:)``.
  public func reopened(as entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    guard let memory else {
      throw VaultError(.invalidArgument, "this vault lies in a folder", mend: "open it there")
    }
    return try memory.open(entitlements)
  }

  /// Makes the calls that follow fail, to see what the app does then; nil makes them work again.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder.
  public func inject(_ fault: VaultFault?) throws(VaultError) {
    guard let faults else {
      throw VaultError(
        .invalidArgument, "faults can be injected into a vault in memory only", mend: "see Vault.inMemory")
    }
    faults.fault = fault
  }
}
