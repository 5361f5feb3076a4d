internal import CGit2

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
