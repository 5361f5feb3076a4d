internal import ArgumentParser
internal import CofferPlatform
internal import CofferVault

extension SyncReport {
  /// Prints the report, and its problems to standard error. Throws an exit code if there are problems.
  func print(asJSON isJSON: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = isJSON ? try encoder.encode(self) : Data(summary.joined(separator: "\n").utf8)
    var outputError: VaultError?
    do throws(VaultError) {
      try StandardOutput.write(text + Data("\n".utf8))
    } catch {
      // The problems are named all the same.
      outputError = error
    }
    for problem in problems { Program.printError(problem.message) }
    if membershipDiscarded > 0 && !isJSON {
      Program.printError(
        "\(membershipDiscarded) membership changes of this machine were discarded because another machine's came first; "
          + "make them again")
    }
    if let membershipObstacle, !isJSON {
      Program.printError(
        "the change of membership was not pushed: \(membershipObstacle); a later sync will push it")
    }
    if !problems.isEmpty { throw ExitCode(6) }
    if let outputError { throw outputError }
  }
}
