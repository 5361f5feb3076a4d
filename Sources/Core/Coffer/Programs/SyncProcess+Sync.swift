internal import CofferPlatform
internal import CofferSystem
package import CofferVault

extension SyncProcess {
  /// Prepares a sync. With `showsProgress`, ``sync(progress:message:)`` receives how far it is.
  package static func prepareSync(of folder: VaultFolder, showsProgress: Bool) throws(VaultError) -> SyncProcess {
    try prepare(["sync", "--json", "--vault", folder.path] + (showsProgress ? ["--progress"] : []))
  }

  /// Runs the sync and waits for its end. Call it once. `progress` receives how far it is, and `message` each line for
  /// people. The sync may have been done before a cancellation came. Throws `cancelled`, what the sync throws, and `io`
  /// if the program ends without a report.
  package func sync(
    progress: (SyncStep) -> Void, message: (String) -> Void = { _ in }
  ) throws(VaultError) -> SyncReport {
    var last: String?
    let outcome = try run { line in
      if line.hasPrefix("{"), let step = try? JSONDecoder().decode(SyncStep.self, from: Data(line.utf8)) {
        progress(step)
      } else {
        last = line
        message(line)
      }
    }
    let output = Data(outcome.output)
    if let report = try? JSONDecoder().decode(SyncReport.self, from: output) { return report }
    if outcome.isCancelled { throw .cancelledSync }
    if let failure = try? JSONDecoder().decode(SyncError.self, from: output) { throw failure.error.error }
    let end =
      switch outcome.exit {
      case .code(let code): "ended with exit code \(code)"
      case .signal(let number): "was ended by signal \(number)"
      case .unknown: "ended"
      }
    throw VaultError(
      .io, "coffer-sync \(end) without a report\(last.map { ": \($0.sanitizedForTerminal(limit: 400))" } ?? "")",
      recoverySuggestion: "install the version of coffer-sync that belongs to this version of Coffer, and try again")
  }
}

extension VaultError {
  /// The error of a sync that was cancelled.
  package static var cancelledSync: VaultError {
    VaultError(
      .cancelled, "the sync was cancelled", recoverySuggestion: "sync again: what has arrived is kept")
  }
}
