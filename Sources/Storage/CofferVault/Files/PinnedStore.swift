package import CofferFormat
package import CofferStore

/// The store of a folder whose genesis is the one that this machine's keys pin. Its log has not been read, so that one
/// that cannot be folded does not prevent a check.
package struct PinnedStore: Sendable {
  package let store: Store
  package let device: DeviceFile
  package let genesis: Genesis

  /// Throws `noVault`; `integrity` if the file is no store, or its genesis is not the vault's; errors of the device
  /// file.
  package static func open(in folder: VaultFolder) throws(VaultError) -> PinnedStore {
    let store = try folder.openStore()
    let device = try folder.deviceFile.read(DeviceFile.self)
    let bytes = try translatingErrors { try store.read { try $0.genesis() } }
    guard let genesis = try? Genesis(bytes: bytes), genesis.hash == device.genesis else {
      throw VaultError(
        .integrity, "the genesis in the store at \(folder.storePath) is not the one of this machine's vault",
        recoverySuggestion: folder.rejoinSuggestion)
    }
    return PinnedStore(store: store, device: device, genesis: genesis)
  }
}
