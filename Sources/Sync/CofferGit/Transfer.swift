internal import CGit2
internal import CofferPlatform
internal import CofferSystem

/// One fetch or push: its connection, its errors and, for a fetch, the callbacks of libgit2.
final class Transfer {
  let connection: Connection
  /// Whether corruption that libgit2 reports may be in the cache rather than in the data of the remote.
  var mayHaveReadCache = false
  private let progress: ((TransferProgress) -> Void)?

  init(_ connection: Connection, progress: ((TransferProgress) -> Void)? = nil) {
    self.connection = connection
    self.progress = progress
  }

  /// Returns the callbacks. They refer to this object without keeping it alive.
  func callbacks() throws(GitError) -> git_remote_callbacks {
    var callbacks = unsafe git_remote_callbacks()
    try check(
      unsafe git_remote_init_callbacks(&callbacks, UInt32(GIT_REMOTE_CALLBACKS_VERSION)),
      context: connection.remote.description)
    unsafe callbacks.payload = Unmanaged.passUnretained(self).toOpaque()
    unsafe callbacks.transport = { out, owner, payload in
      guard let transfer = unsafe Transfer.from(payload) else { return -1 }
      return unsafe Subtransport.makeTransport(out, owner: owner, connection: transfer.connection)
    }
    unsafe callbacks.transfer_progress = { progress, payload in
      guard let transfer = unsafe Transfer.from(payload), let progress = unsafe progress?.pointee else { return -1 }
      return transfer.receive(progress)
    }
    unsafe callbacks.sideband_progress = { _, _, payload in
      guard let transfer = unsafe Transfer.from(payload) else { return -1 }
      return transfer.checkCancellation()
    }
    return unsafe callbacks
  }

  /// Closes the connection and returns the reason why it failed: an error on this side if there is one, else an error
  /// that the remote printed, else libgit2's error, which often knows only that the bytes ended. `result` is the value
  /// that a function of libgit2 has just returned.
  func error(for result: Int32) -> GitError {
    explained(GitError.libgit2(result, context: connection.remote.description, isOfRemote: true))
  }

  /// Closes the connection and returns the reason for an error, as ``error(for:)``.
  func explained(_ error: GitError) -> GitError {
    connection.close(timeout: connection.failure == nil ? .seconds(1) : .zero)
    // Ctrl-C at a prompt of ssh ends ssh, and is meant for the whole command. The remote cannot cause this signal.
    if connection.keepsTerminal, connection.exit == .signal(SIGINT) { connection.cancellation.cancel() }
    if connection.cancellation.isCancelled { return interrupted }
    if let failure = connection.failure { return connection.advising(failure) }
    let messages = messagesLine
    let code = mayHaveReadCache || error.code != .corrupt ? error.code : .protocolError
    // The messages of the remote do not explain why a local repository, object or file failed.
    if ![.protocolError, .io].contains(code) { return error }
    // A daemon says inside of the protocol what git prints elsewhere.
    let reason = connection.remote.hidesMessages && messages.isEmpty ? error.message : messages
    let diagnosis = Diagnosis(
      exit: connection.exit, messages: reason, remote: connection.remote, programs: connection.programs)
    return diagnosis.error()
      ?? GitError(
        code, messages.isEmpty ? error.message : "\(error.message). The remote said: \(messages)",
        context: error.context,
        recoverySuggestion: error.recoverySuggestion ?? connection.advice(after: error.message))
  }

  private var interrupted: GitError {
    GitError(.cancelled, "interrupted", context: connection.remote.description)
  }

  /// The messages of git, ssh and the server in one line that is safe to show.
  var messagesLine: String { String(decoding: connection.messages, as: UTF8.self).asTerminalLine }

  private func receive(_ stats: git_indexer_progress) -> Int32 {
    let maximum = connection.limits.maximumObjectCount
    guard stats.total_objects <= maximum else {
      connection.recordFailure(
        GitError(
          .tooLarge, "the remote sends \(stats.total_objects) objects, and the limit is \(maximum)",
          context: connection.remote.description))
      return GIT_EUSER.rawValue
    }
    progress?(
      TransferProgress(
        receivedObjects: Int(stats.received_objects), totalObjects: Int(stats.total_objects),
        receivedBytes: stats.received_bytes))
    return connection.isOverdue() ? GIT_EUSER.rawValue : checkCancellation()
  }

  /// Returns the value by which a callback continues the transfer, or ends it if it was cancelled.
  private func checkCancellation() -> Int32 {
    guard connection.cancellation.isCancelled else { return 0 }
    connection.recordFailure(interrupted)
    return GIT_EUSER.rawValue
  }

  private static func from(_ payload: UnsafeMutableRawPointer?) -> Transfer? {
    unsafe payload.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
