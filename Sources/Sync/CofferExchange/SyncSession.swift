internal import CofferCrypto
internal import CofferFormat
package import CofferGit
package import CofferVault
internal import Logging
internal import Synchronization

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
  /// The log entries that other branches have brought. That the branch of this machine lacks them is no loss before it
  /// is certain that the vault continues on that branch.
  var otherLogPlaces: Set<RemoteLayout.Place> = []
  /// Whether other branches have entries that could not be imported.
  var hasUnresolvedOtherEntries = false
  /// The branches and tags of the remote after this sync has followed them; nil if another sync may find more in them.
  var syncedReferences: [String: ObjectID]?
  /// The size of the contents of pending and refused records; nil until it is needed. To find it takes a scan of them,
  /// and a remote can have a hundred thousand. What is freed meanwhile is not subtracted.
  var unadmittedByteCounts: (all: Int, devices: [DeviceID: Int])?
  /// Whether the branch is imported as it was earlier. What was wrong with it then is not named.
  var isImportingHistory = false

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

  /// Keeps what was found until now, before this sync repairs the remote, or follows another branch: the next sync does
  /// not find it again.
  func keepProblems() throws {
    if !report.problems.isEmpty { try local.keep(report.problems) }
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

  /// Reports a problem that no later sync finds, because this one stores what has shown it. Call it in the transaction
  /// that does. It is named even if this machine follows another branch.
  func reportOnce(_ kind: SyncProblem.Kind, _ message: String) throws {
    guard report.add(kind, message) else { return }
    logger.warning("found once", metadata: ["what": "\(message)"])
    if !session.isImportingHistory { try local.keep([SyncProblem(kind, message)]) }
  }

  /// Reports a file that cannot be used. `what` is a clause whose subject is the remote.
  func reportUnsound(_ what: String) { reportProblem(.unusable, what, isUnsoundObject: true) }

  /// Adds a problem to the report and to the log. `what` is a clause whose subject is the remote.
  func reportProblem(_ kind: SyncProblem.Kind, _ what: String, isUnsoundObject: Bool = false) {
    guard report.add(kind, "\(url) \(what)", isUnsoundObject: isUnsoundObject) else { return }
    logger.warning("unexpected content at the remote", metadata: ["what": "\(what)"])
  }
}

/// Reports the steps of a sync, and counts the bytes of its transfers.
final class SyncSteps: Sendable {
  private struct State {
    var bytes = TransferTraffic.Bytes()
    /// How much was sent before the current step; nil if it sends nothing.
    var sentBefore: Int?
  }

  private let state = Mutex(State())
  let report: (@Sendable (SyncStep) -> Void)?

  /// Takes what receives each step, and how far it is.
  init(_ report: (@Sendable (SyncStep) -> Void)?) { self.report = report }

  /// The bytes of all transfers until now.
  var bytes: TransferTraffic.Bytes { state.withLock { $0.bytes } }

  /// Returns a counter for the transfers.
  func makeTraffic() -> TransferTraffic {
    TransferTraffic { [self] bytes in
      let sent = state.withLock { state in
        state.bytes = bytes
        return state.sentBefore.map { bytes.sent - $0 }
      }
      if let sent { report?(SyncStep(.sending, bytes: sent)) }
    }
  }

  /// Begins to ask the remote.
  func connect() {
    state.withLock { $0.sentBefore = nil }
    report?(SyncStep(.connecting))
  }

  /// Objects have arrived.
  func receive(_ progress: TransferProgress) { report?(SyncStep(progress)) }

  /// Begins to send.
  func send() {
    state.withLock { $0.sentBefore = $0.bytes.sent }
    report?(SyncStep(.sending))
  }

  /// The remote has accepted some of the files that are to be sent.
  func send(_ done: Int, of total: Int) {
    let sent = state.withLock { state in state.bytes.sent - (state.sentBefore ?? state.bytes.sent) }
    report?(SyncStep(.sending, done: done, total: total, bytes: sent))
  }
}

extension SyncStep {
  /// Objects have arrived.
  package init(_ progress: TransferProgress) {
    self.init(.receiving, done: progress.receivedObjects, total: progress.totalObjects, bytes: progress.receivedBytes)
  }
}
