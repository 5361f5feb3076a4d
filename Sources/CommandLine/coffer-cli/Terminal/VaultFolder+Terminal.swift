internal import CofferTerminal
internal import CofferVault

extension VaultFolder {
  /// Whether there is no vault here. Keys without their store are one: opening it gives the error.
  var isAbsent: Bool { !exists && !deviceFile.exists }

  /// Says that a command has created this vault, and that its vault key is not written down.
  func printCreationNote() {
    Terminal.printNote(
      "A new vault is at \(path). It keeps its vault key until you write that down: coffer vault-key show")
  }
}
