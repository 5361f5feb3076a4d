internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// A vault without a folder: real keys, a real membership log and a real store, all in memory. It lives as long as the
/// last vault that was opened on it.
package final class MemoryVault: Sendable {
  private let local: LocalVault
  private let admin: PartyKeys
  private let device: PartyKeys
  private let transportKey: TransportKey
  /// The keys of each app that was opened.
  private let principals = Mutex<[ApplicationID: PartyKeys]>([:])
  /// Checks the owner's passphrase; nil if the owner has none.
  let ownerPassphrase: OwnerPassphrase?
  /// The prepared outcomes of prompts for the passphrase.
  let scriptedPrompts: ScriptedPrompts?
  /// The team by which groups are named, instead of the vault's own, which is random; nil for that.
  let shownTeam: String?

  private init(
    local: LocalVault, admin: PartyKeys, device: PartyKeys, transportKey: TransportKey,
    passphrase: SecretText?, prompts: [ScriptedPrompts.Outcome]?, shownTeam: String?
  ) {
    self.local = local
    self.admin = admin
    self.device = device
    self.transportKey = transportKey
    ownerPassphrase = passphrase.map { OwnerPassphrase(is: $0) }
    scriptedPrompts = passphrase.flatMap { passphrase in
      prompts.map { ScriptedPrompts($0, passphrase: passphrase) }
    }
    self.shownTeam = shownTeam
  }

  /// Creates a vault with this process as its first admin. The owner's passphrase, if there is one, has 1 to 1024
  /// bytes. A team prefix in the first app's plist is that of the vault, unless the settings name another.
  static func create(
    passphrase: SecretText?, for source: EntitlementsSource, _ settings: MemorySettings
  ) throws(VaultError) -> MemoryVault {
    guard passphrase.map({ PasswordHash.passphraseByteCounts.contains($0.count) }) ?? true else {
      throw VaultError.unusablePassphrase
    }
    let shownTeam = if let team = settings.team { team } else { try source.document().literalTeam }
    let root = PartyKeys.random()
    let admin = PartyKeys.random()
    let device = PartyKeys.random()
    let transportKey = TransportKey.random()
    let genesis = Genesis(
      vault: .random(), created: .now, root: root, firstDevice: device.publicKeys, firstAdmin: admin.publicKeys)
    var draft = try LogDraft(membership: Membership(genesis: genesis), transportKeys: [transportKey])
    try draft.append(
      .device(
        DeviceStatement(
          keys: device.publicKeys, role: .admin(admin.publicKeys, delivery: AgreementKey.random().publicKey),
          name: "memory")),
      by: .root, key: root.signing)
    let store = try translatingErrors {
      let store = try Store.createInMemory(genesis: genesis.bytes, rootSlot: [])
      try store.write { try draft.commit(to: $0) }
      return store
    }
    let local = try LocalVault.open(
      .inMemory, store: store,
      device: DeviceFile(
        genesis: genesis.hash, keys: device, localSecret: .random(count: 32), transportKeys: [transportKey]))
    return MemoryVault(
      local: local, admin: admin, device: device, transportKey: transportKey, passphrase: passphrase,
      prompts: settings.prompts, shownTeam: shownTeam)
  }

  /// Opens the vault as the app that `source` describes. The app is registered first, if it is not yet.
  func open(_ source: EntitlementsSource) throws(VaultError) -> Vault {
    let (plist, name) = try source.plist()
    let document = try EntitlementsSource.parse(plist, source: name)
    // A literal prefix in the plist is mapped to this vault's, which is random.
    let prefix = document.literalTeam ?? shownTeam
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
    let vault = Vault(
      local: local, id: membership.vault, author: author, receiptKey: document.receiptKey, memory: self
    ) { (_) throws(VaultError) in keys }
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
        var draft = try LogDraft(membership: membership, transportKeys: [transportKey])
        if let known = membership.apps[application]?.entitlements {
          try entitlements.checkSubset(of: known, source: name)
        } else {
          let statement = AppStatement(
            applicationID: application.description, bundleID: application.bundleID.description, sourcePrefix: prefix,
            requiresPassphrase: false, groups: entitlements.stated, entitlements: plist)
          try draft.append(.app(statement), by: .admin(id), key: admin.signing)
        }
        guard let app = draft.membership.apps[application] else { return }
        if membership.authors[AuthorID(vault: membership.vault, keys: keys.publicKeys)] == nil {
          let device = DeviceID(vault: membership.vault, keys: device.publicKeys)
          try draft.append(
            .principal(PrincipalStatement(app: app.registration, device: device, keys: keys.publicKeys)),
            by: .admin(id), key: admin.signing)
        }
        try draft.grantGroups(of: app.entitlements, by: .admin(id), with: admin)
        try draft.commit(to: writer)
      }
    }
  }
}

/// What the environment says about vaults in memory. Vaults in a folder never read it.
struct MemorySettings: Sendable {
  private static let teamVariable = "COFFER_MEMORY_TEAM"
  private static let promptVariable = "COFFER_MEMORY_PROMPT"

  /// The team by which access groups are named; nil for that of the plist.
  let team: String?
  /// The outcomes of prompts, the last of which repeats; nil for none.
  let prompts: [ScriptedPrompts.Outcome]?

  /// Reads `COFFER_MEMORY_TEAM`, ten characters `A`–`Z` and `0`–`9`, and `COFFER_MEMORY_PROMPT`, a list of outcomes
  /// between commas. Empty variables are the same as missing ones. Throws `invalidArgument` for other values.
  init(_ environment: [String: String]) throws(VaultError) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    team = value(Self.teamVariable)
    if let team, literalTeamPrefix(of: team) != team {
      throw VaultError(
        .invalidArgument, "\(Self.teamVariable) is not a team identifier",
        recoverySuggestion: "set it to ten characters A–Z and 0–9, or unset it")
    }
    prompts =
      if let list = value(Self.promptVariable) {
        try ScriptedPrompts.Outcome.list(list, of: Self.promptVariable)
      } else {
        nil
      }
  }
}
