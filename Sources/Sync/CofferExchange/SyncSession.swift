internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferVault
internal import Logging

/// What the steps of one sync share: the vault, its remote, this machine's keys, and what the sync has found and done.
final class SyncSession {
  let local: LocalVault
  let connection: RemoteConnection
  let steps: SyncSteps
  let logger: Logger
  /// The maximum size in bytes of pending and refused records that are in no segment of the store, from each machine.
  let unadmittedByteLimit: Int
  /// This machine's keys, with the transport keys of imported log entries. There is no other copy: an older one would
  /// overwrite the file.
  var device: DeviceFile
  var report: SyncReport
  /// The log entries that other branches have brought. That the branch of this machine lacks them is no loss before it is
  /// certain that the vault continues on that branch.
  var otherLogPlaces: Set<RemoteLayout.Place> = []

  init(
    _ local: LocalVault, _ connection: RemoteConnection, device: DeviceFile, unadmittedByteLimit: Int,
    steps: SyncSteps = SyncSteps(nil), logger: Logger
  ) {
    self.local = local
    self.connection = connection
    self.device = device
    self.unadmittedByteLimit = unadmittedByteLimit
    self.steps = steps
    self.logger = logger
    report = SyncReport(remote: connection.url.description)
  }
}

/// A step of a sync.
protocol SyncPart {
  var session: SyncSession { get }
}

extension SyncPart {
  var local: LocalVault { session.local }
  var connection: RemoteConnection { session.connection }
  var repository: Repository { session.connection.repository }
  var url: RemoteURL { session.connection.url }
  var steps: SyncSteps { session.steps }
  var logger: Logger { session.logger }

  var device: DeviceFile {
    get { session.device }
    nonmutating set { session.device = newValue }
  }

  var report: SyncReport {
    get { session.report }
    nonmutating _modify { yield &session.report }
  }

  func ownDevice(in vault: VaultID) -> DeviceID { DeviceID(vault: vault, keys: device.keys.publicKeys) }

  /// Reports a file that cannot be used. `what` is a clause whose subject is the remote.
  func reportUnsound(_ what: String) { reportProblem(.unusable, what, isUnsoundObject: true) }

  /// Adds a problem to the report and to the log. `what` is a clause whose subject is the remote.
  func reportProblem(_ kind: SyncProblem.Kind, _ what: String, isUnsoundObject: Bool = false) {
    guard report.add(kind, "\(url) \(what)", isUnsoundObject: isUnsoundObject) else { return }
    logger.warning("unexpected content at the remote", metadata: ["what": "\(what)"])
  }
}
