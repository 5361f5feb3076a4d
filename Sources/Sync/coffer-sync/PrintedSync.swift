internal import ArgumentParser
internal import CofferExchange
internal import CofferVault

/// A sync that shows its progress, and prints its report or its error.
struct PrintedSync {
  private let options: VaultOptions
  private let remote: RemoteAccessOptions
  private let printsJSON: Bool
  private let printsProgress: Bool

  /// With `printsJSON`, the report, or the error, is printed as JSON, and with `printsProgress` the progress as lines
  /// of JSON.
  init(_ options: VaultOptions, _ remote: RemoteAccessOptions, asJSON printsJSON: Bool, progress printsProgress: Bool) {
    self.options = options
    self.remote = remote
    self.printsJSON = printsJSON
    self.printsProgress = printsProgress
  }

  /// Not for lines of JSON, which have no place for it.
  private static let reportWait: @Sendable (String) -> Void = { holder in
    Program.printNote("Waiting for another sync: \(holder). Ctrl-C ends the wait.")
  }

  /// Runs a sync. `body` runs it, and passes the progress on.
  func run(
    _ body: (VaultSync, @escaping @Sendable (SyncStep) -> Void) throws(VaultError) -> SyncReport
  ) throws {
    let report: SyncReport
    do throws(VaultError) {
      let meter = ProgressMeter(printsJSON: printsProgress)
      defer { meter.finish() }
      let interruption = Interruption.observe()
      let sync = try VaultSync(
        options.folder, access: remote.access, cancellation: interruption.cancellation, logger: options.logger,
        reportWait: printsProgress ? nil : Self.reportWait)
      report = try body(sync) { meter.show($0) }
    } catch {
      // A program decides by the code of the error, which standard error does not have.
      if printsJSON { try StandardOutput.write(SyncError(error).json()) }
      throw error
    }
    try report.print(asJSON: printsJSON)
  }
}
