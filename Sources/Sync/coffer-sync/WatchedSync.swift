internal import CofferExchange
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The process that syncs a vault by itself, until a signal ends it.
struct WatchedSync {
  private let options: VaultOptions
  private let access: RemoteAccess

  init(_ options: VaultOptions, _ access: RemoteAccess) {
    self.options = options
    self.access = access
  }

  /// Syncs until SIGINT, SIGTERM or SIGHUP.
  func run(every interval: SyncInterval) throws(VaultError) {
    let watcher = try SyncWatcher.prepare(
      options.folder, interval: interval.duration, access: access, logger: options.logger,
      say: { Program.printEvent($0) })
    let observer = Interruption.observe(
      { watcher.stop() },
      orAtTimeout: {
        // Nothing is lost.
        Program.printEvent("stopped in the middle of a sync")
        exit(0)
      })
    defer { observer.stop() }
    try watcher.run()
  }
}
