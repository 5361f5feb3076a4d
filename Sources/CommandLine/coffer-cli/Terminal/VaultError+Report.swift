internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

extension [VaultError] {
  /// Prints what is damaged or wrong after the rest was shown. Throws the exit code of the first error, if there is one.
  func report() throws {
    for error in self { Terminal.printError(error.description) }
    if let first { throw ExitCode(first.exitCode) }
  }
}
