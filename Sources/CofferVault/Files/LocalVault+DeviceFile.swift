internal import CofferCrypto
package import CofferFormat
internal import CofferSystem
package import CofferTrust

extension LocalVault {
  /// Returns this machine as the log names it; nil if it is not in the log, or its keys cannot be read.
  package func machine(in membership: Membership) -> Device? {
    guard let keys = try? deviceFile().keys.publicKeys else { return nil }
    return membership.devices[DeviceID(vault: membership.vault, keys: keys)]
  }

  /// The name of this machine for prompts; "this machine" if the log does not name it.
  package var machineName: String {
    guard let membership = try? membership() else { return "this machine" }
    return machine(in: membership)?.name.sanitizedForTerminal() ?? "this machine"
  }

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
