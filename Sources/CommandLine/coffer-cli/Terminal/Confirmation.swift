internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

/// The question whether something that cannot be undone is meant.
enum Confirmation {
  /// Shows what is about to happen, a line each, and asks whether it is meant: yes means to go on. Throws
  /// `invalidArgument` if nobody can be asked, and `locked` if the answer is no.
  static func ask(after lines: [String], question: String = "Go on?") throws {
    for line in lines { Terminal.printNote(line) }
    guard Terminal.isInput else {
      throw VaultError(
        .invalidArgument, "nobody can be asked whether this is meant",
        recoverySuggestion: "add --yes; nothing was changed")
    }
    guard try Terminal.askYes(question) else {
      throw VaultError(.locked, "cancelled; nothing was changed")
    }
  }
}

extension [VaultError] {
  /// Prints what is damaged or wrong after the rest was shown. Throws the exit code of the first error, if there is
  /// one.
  func report() throws {
    for error in self { Terminal.printError(error.description) }
    if let first { throw ExitCode(first.exitCode) }
  }
}

extension VaultFolder {
  /// Whether there is no vault here. Keys without their store are one: opening it gives the error.
  var isAbsent: Bool { !exists && !deviceFile.exists }

  /// Says that a command has created this vault, and that its vault key is not written down.
  func printCreationNote() {
    Terminal.printNote(
      "A new vault is at \(path). It keeps its vault key until you write that down: coffer vault-key show")
  }
}

extension LocalVault {
  /// Says, if this machine still keeps the vault key, that the remote alone recovers nothing.
  func printKeptKeyNote() throws(VaultError) {
    try forgetReplacedVaultKey()
    guard keepsVaultKey else { return }
    Terminal.printNote(
      "The vault key is not written down yet: without it, the remote recovers nothing if this machine is lost. Run: coffer vault-key show"
    )
  }

  /// Deletes the vault key that this machine keeps if another machine has replaced it, and says so.
  func forgetReplacedVaultKey() throws(VaultError) {
    guard let error = try KeptVaultKey.forgetReplaced(in: self) else { return }
    Terminal.printNote("This machine does not keep the vault key any more: \(error.description)")
  }
}
