package import CofferFormat
internal import CofferTrust

extension LocalVault {
  /// Reads this machine's keys and checks that they belong to this vault.
  package func deviceFile() throws(VaultError) -> DeviceFile {
    let file = try folder.deviceFile.read { try DeviceFile(secretBytes: $0) }
    guard file.genesis == (try membership().genesis.hash) else {
      throw VaultError(
        .integrity, "the keys at \(folder.deviceFile.path) belong to another vault",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    return file
  }
}
