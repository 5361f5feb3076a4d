internal import CofferExchange
internal import CofferSystem
internal import CofferVault
internal import Dispatch
internal import Foundation

/// The process that syncs a vault by itself, until a signal ends it.
struct WatchedSync {
  private let options: VaultOptions
  private let access: RemoteAccess

  /// How long a sync may take to end after a signal. Nothing is lost if it ends in its middle.
  private static let stopTimeout = DispatchTimeInterval.seconds(3)

  init(_ options: VaultOptions, _ access: RemoteAccess) {
    self.options = options
    self.access = access
  }

  /// Syncs until SIGINT, SIGTERM or SIGHUP.
  func run(every interval: SyncInterval) throws(VaultError) {
    let watcher = try SyncWatcher.prepare(
      options.folder, interval: interval.duration, access: access, logger: options.logger,
      say: { Program.printEvent($0) })
    let observer = SignalObserver([SIGINT, SIGTERM, SIGHUP]) {
      watcher.stop()
      // For example, it may wait for another program that holds the vault's lock.
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.stopTimeout) {
        Program.printEvent("stopped in the middle of a sync")
        exit(0)
      }
    }
    defer { observer.stop() }
    try watcher.run()
  }
}
