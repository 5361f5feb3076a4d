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
    progress?(TransferProgress(stats))
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

/// Connects a `Connection` to libgit2's implementation of the git protocol.
///
/// libgit2 requests a transport, the transport requests a subtransport, and the subtransport a stream. The latter two
/// are C structs that each hold a reference to the connection until libgit2 frees them.
enum Subtransport {
  /// Creates a transport over `connection`, which the caller keeps alive during the transfer.
  static func makeTransport(
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_transport>?>?, owner: OpaquePointer?,
    connection: Connection
  ) -> Int32 {
    var definition = unsafe git_smart_subtransport_definition(
      callback: { out, _, payload in
        guard let out = unsafe out, let payload = unsafe payload else { return -1 }
        unsafe out.pointee = Subtransport.make(Unmanaged<Connection>.fromOpaque(payload).takeUnretainedValue())
        return 0
      },
      rpc: connection.isStateless ? 1 : 0, param: Unmanaged.passUnretained(connection).toOpaque())
    return unsafe git_transport_smart(out, owner, &definition)
  }

  private static func make(_ connection: Connection) -> UnsafeMutablePointer<git_smart_subtransport> {
    let subtransport = UnsafeMutablePointer<coffer_subtransport>.allocate(capacity: 1)
    unsafe subtransport.initialize(to: coffer_subtransport())
    unsafe subtransport.pointee.connection = Unmanaged.passRetained(connection).toOpaque()
    unsafe subtransport.pointee.parent.action = { out, parent, _, service in
      guard let out = unsafe out, let parent = unsafe parent else { return -1 }
      return unsafe Subtransport.perform(service, on: parent, out)
    }
    unsafe subtransport.pointee.parent.close = { _ in 0 }
    unsafe subtransport.pointee.parent.free = { parent in
      guard let parent = unsafe parent else { return }
      unsafe parent.withMemoryRebound(to: coffer_subtransport.self, capacity: 1) { subtransport in
        unsafe Subtransport.release(subtransport.pointee.connection)
        unsafe subtransport.deallocate()
      }
    }
    return unsafe UnsafeMutableRawPointer(subtransport).assumingMemoryBound(to: git_smart_subtransport.self)
  }

  private static func perform(
    _ service: git_smart_service_t, on parent: UnsafeMutablePointer<git_smart_subtransport>,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<git_smart_subtransport_stream>?>
  ) -> Int32 {
    unsafe parent.withMemoryRebound(to: coffer_subtransport.self, capacity: 1) { subtransport in
      guard let connection = unsafe connection(subtransport.pointee.connection) else { return -1 }
      switch service {
      case GIT_SERVICE_UPLOADPACK_LS:
        do throws(GitError) {
          try connection.open(.uploadPack)
        } catch {
          return fail(error)
        }
        let stream = unsafe makeStream(subtransport, connection)
        unsafe subtransport.pointee.stream = unsafe stream
        unsafe out.pointee = parentOf(stream)
      default:
        guard !connection.isStateless else {
          do throws(GitError) {
            try connection.beginRequest(to: .uploadPack)
          } catch {
            return fail(error)
          }
          // libgit2 has released the stream of the list, and releases this one after the response.
          unsafe out.pointee = unsafe parentOf(makeStream(subtransport, connection))
          return 0
        }
        // The protocol continues after the list of references on the same stream.
        guard let stream = unsafe subtransport.pointee.stream else { return -1 }
        unsafe out.pointee = parentOf(stream)
      }
      return 0
    }
  }

  private static func makeStream(
    _ subtransport: UnsafeMutablePointer<coffer_subtransport>, _ connection: Connection
  ) -> UnsafeMutablePointer<coffer_stream> {
    let stream = UnsafeMutablePointer<coffer_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: coffer_stream())
    unsafe stream.pointee.connection = Unmanaged.passRetained(connection).toOpaque()
    unsafe stream.pointee.parent.subtransport = UnsafeMutableRawPointer(subtransport)
      .assumingMemoryBound(to: git_smart_subtransport.self)
    unsafe stream.pointee.parent.read = { parent, buffer, capacity, count in
      guard let connection = unsafe Subtransport.connection(of: parent), let count = unsafe count else { return -1 }
      do throws(GitError) {
        unsafe count.pointee = try connection.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        return 0
      } catch {
        return Subtransport.fail(error)
      }
    }
    unsafe stream.pointee.parent.write = { parent, bytes, count in
      guard let connection = unsafe Subtransport.connection(of: parent) else { return -1 }
      do throws(GitError) {
        try unsafe connection.write(UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
      } catch {
        return Subtransport.fail(error)
      }
    }
    unsafe stream.pointee.parent.free = { parent in
      guard let parent = unsafe parent else { return }
      unsafe parent.withMemoryRebound(to: coffer_stream.self, capacity: 1) { stream in
        unsafe Subtransport.release(stream.pointee.connection)
        unsafe stream.deallocate()
      }
    }
    return unsafe stream
  }

  private static func parentOf(
    _ stream: UnsafeMutablePointer<coffer_stream>
  ) -> UnsafeMutablePointer<git_smart_subtransport_stream> {
    unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: git_smart_subtransport_stream.self)
  }

  private static func connection(of stream: UnsafeMutablePointer<git_smart_subtransport_stream>?) -> Connection? {
    unsafe stream?.withMemoryRebound(to: coffer_stream.self, capacity: 1) { stream in
      unsafe connection(stream.pointee.connection)
    }
  }

  private static func connection(_ payload: UnsafeMutableRawPointer?) -> Connection? {
    unsafe payload.map { unsafe Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func release(_ payload: UnsafeMutableRawPointer?) {
    if let payload = unsafe payload { unsafe Unmanaged<Connection>.fromOpaque(payload).release() }
  }

  private static func fail(_ error: GitError) -> Int32 {
    unsafe git_error_set_str(Int32(bitPattern: GIT_ERROR_NET.rawValue), error.message)
    return -1
  }
}
