internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Creates a new vault, with this machine as its first admin.
package enum VaultCreation {
  /// Creates the vault's folder, completely or not at all. It must not exist, or be empty. `handOver` receives the
  /// vault key before the vault appears at its location; if it throws, no vault is created. Without it, this machine
  /// keeps the vault key, see ``KeptVaultKey``.
  package static func create(
    at location: VaultLocation, deviceName: String, protection: AdminProtection,
    handOver: ((VaultKey) throws(VaultError) -> Void)?
  ) throws(VaultError) {
    try checkDeviceName(deviceName)
    let staging = try StagingFolder.create(for: location)
    let folder = staging.folder

    let vaultKey = VaultKey.random()
    let root = PartyKeys.random()
    let device = PartyKeys.random()
    let admin = PartyKeys.random()
    let delivery = AgreementKey.random()
    let genesis = Genesis(
      vault: .random(), created: .now, root: root, firstDevice: device.publicKeys, firstAdmin: admin.publicKeys)
    // The host never sees the first transport key, not even in a box: it is mixed into all later ones.
    let transportKey = TransportKey.random()
    let rootSlot = RootSlot(genesis: genesis, generation: 1, root: root, firstKey: transportKey, under: vaultKey)
    var draft = try LogDraft(membership: Membership(genesis: genesis), transportKeys: [transportKey])
    try draft.append(
      .transportKey(
        TransportKeyStatement(generation: 1, commitment: transportKey.commitment, wrappedPrevious: [], boxes: [])),
      by: .root, key: root.signing)
    try draft.append(
      .device(
        DeviceStatement(
          keys: device.publicKeys, role: .admin(admin.publicKeys, delivery: delivery.publicKey), name: deviceName)),
      by: .root, key: root.signing)

    try translatingErrors {
      let store = try Store.create(at: folder.storePath, genesis: genesis.bytes, rootSlot: rootSlot.bytes)
      try store.write { try draft.commit(to: $0) }
    }
    try folder.deviceFile.write(
      DeviceFile(
        genesis: genesis.hash, keys: device, localSecret: .random(count: 32), transportKeys: [transportKey]))
    try protection.write(admin, of: genesis.hash, to: folder.adminFile)
    try protection.write(delivery, of: genesis.hash, to: folder.deliveryFile)
    if let handOver { try handOver(vaultKey) } else { try KeptVaultKey.write(vaultKey, to: folder, for: admin) }
    try staging.moveIntoPlace()
  }

  /// Creates the user's own vault without asking for anything: without a passphrase, with the host's name, and with its
  /// vault key kept on this machine. Does nothing if another program has created it meanwhile.
  package static func createPersonal(at location: VaultLocation) throws(VaultError) {
    do throws(VaultError) {
      try create(at: location, deviceName: defaultDeviceName, protection: .none, handOver: nil)
    } catch {
      guard error.code == .vaultExists, VaultFolder(location).exists else { throw error }
    }
  }

  /// The name of a machine that is given none: its host name.
  package static var defaultDeviceName: String {
    let host = ProcessInfo.processInfo.hostName
    let name = String(host.prefix(64))
    return DeviceStatement.isValid(name: name) ? name : "machine"
  }

  /// Throws `invalidArgument` for a name that no machine can have.
  package static func checkDeviceName(_ name: String) throws(VaultError) {
    guard DeviceStatement.isValid(name: name) else {
      throw VaultError(
        .invalidArgument,
        "the machine's name is empty, longer than 128 bytes, or has control characters or line separators",
        recoverySuggestion: "give another one with --name")
    }
  }
}
