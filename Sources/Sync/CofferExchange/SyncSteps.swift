internal import CofferGit
internal import CofferVault
internal import Synchronization

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
  func receive(_ progress: TransferProgress) {
    report?(
      SyncStep(
        .receiving, done: progress.receivedObjects, total: progress.totalObjects, bytes: progress.receivedBytes))
  }

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
