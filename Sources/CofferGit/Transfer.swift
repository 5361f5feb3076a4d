internal import CGit2

/// One operation with a remote, as the callbacks of libgit2 see it.
final class Transfer {
  let connection: Connection
  /// What the remote says about each reference that was pushed: `nil` where it took it.
  private(set) var statuses: [String: String?] = [:]
  /// Checks what the remote's references are before anything is sent to it.
  var mayUpdate: (_ name: String, _ current: ObjectID) -> Bool = { _, _ in true }
  /// Whether what looks corrupt may be the cache, and not what the remote sends.
  var mayBlameCache = false
  private let progress: ((TransferProgress) -> Void)?
  let isPush: Bool

  init(_ connection: Connection, isPush: Bool, progress: ((TransferProgress) -> Void)? = nil) {
    self.connection = connection
    self.isPush = isPush
    self.progress = progress
  }

  /// The callbacks. They hold this object without keeping it alive.
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
    unsafe callbacks.pack_progress = { _, _, _, payload in
      guard let transfer = unsafe Transfer.from(payload) else { return -1 }
      return transfer.continues()
    }
    unsafe callbacks.sideband_progress = { bytes, count, payload in
      guard let transfer = unsafe Transfer.from(payload), count >= 0 else { return -1 }
      if transfer.isPush {
        unsafe transfer.connection.addComplaint(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      }
      return transfer.continues()
    }
    unsafe callbacks.push_update_reference = { name, status, payload in
      guard let transfer = unsafe Transfer.from(payload), let name = unsafe name else { return -1 }
      transfer.statuses[unsafe String(cString: name)] = .some(unsafe status.map { unsafe String(cString: $0) })
      return 0
    }
    unsafe callbacks.push_negotiation = { updates, count, payload in
      guard let transfer = unsafe Transfer.from(payload) else { return -1 }
      for index in 0..<count {
        guard let update = unsafe updates?[index]?.pointee, let name = unsafe update.dst_refname else { return -1 }
        guard transfer.mayUpdate(unsafe String(cString: name), ObjectID(unsafe update.src)) else {
          return GIT_ENONFASTFORWARD.rawValue
        }
      }
      return 0
    }
    return unsafe callbacks
  }

  /// Ends the conversation and says why it failed: our own reason before what the remote printed, and that
  /// before libgit2's, which sees only bytes that stop.
  func error(for result: Int32) -> GitError {
    let error = GitError.libgit2(result, context: connection.remote.description, unexplained: .protocolError)
    connection.close(patience: connection.failure == nil ? .seconds(1) : .zero)
    if let failure = connection.failure { return failure }
    let complaint = String(decoding: connection.complaint, as: UTF8.self).asTerminalLine
    let diagnosis = Diagnosis(exit: connection.exit, complaint: complaint, remote: connection.remote)
    let code = mayBlameCache || error.code != .corrupt ? error.code : .protocolError
    // A repository, object or file that fails here has nothing to do with what the remote says.
    if ![.protocolError, .io].contains(code) { return error }
    return diagnosis.error()
      ?? GitError(
        code, complaint.isEmpty ? error.message : "\(error.message). The remote said: \(complaint)",
        context: error.context)
  }

  /// What the server printed, for people.
  var remoteMessage: String {
    String(decoding: connection.complaint, as: UTF8.self).asTerminalLine
  }

  private func receive(_ stats: git_indexer_progress) -> Int32 {
    let maximum = connection.limits.maximumObjectCount
    guard stats.total_objects <= maximum else {
      connection.fail(
        GitError(
          .tooLarge, "the remote sends \(stats.total_objects) objects, and the limit is \(maximum)",
          context: connection.remote.description))
      return GIT_EUSER.rawValue
    }
    progress?(
      TransferProgress(
        receivedObjects: Int(stats.received_objects), totalObjects: Int(stats.total_objects),
        receivedBytes: stats.received_bytes))
    return continues()
  }

  private func continues() -> Int32 {
    guard connection.cancellation.isCancelled else { return 0 }
    connection.fail(GitError(.cancelled, "cancelled", context: connection.remote.description))
    return GIT_EUSER.rawValue
  }

  private static func from(_ payload: UnsafeMutableRawPointer?) -> Transfer? {
    unsafe payload.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
