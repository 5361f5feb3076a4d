internal import CPlatform
internal import CofferPlatform

/// A connection between two processes of this machine that carries packets, each whole or not at all (SOCK_SEQPACKET).
/// On Linux only; elsewhere there is nobody to connect to.
package struct LocalSocket: ~Copyable, Sendable {
  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Connects to a socket, without waiting. Throws an error whose `isNotFound` is true if there is none.
  package static func connect(to path: String) throws(SystemError) -> LocalSocket {
    LocalSocket(try unsafe Descriptor(opened: coffer_connect_local(path), "cannot connect to \(path)"))
  }

  /// Opens a socket at a path that does not exist, to which only this user connects.
  package static func listen(at path: String) throws(SystemError) -> LocalSocket {
    LocalSocket(try unsafe Descriptor(opened: coffer_listen_local(path), "cannot listen at \(path)"))
  }

  /// Takes over a socket that listens already.
  package static func listening(on descriptor: consuming Descriptor) -> LocalSocket { LocalSocket(descriptor) }

  /// Waits for the next connection.
  package func accept() throws(SystemError) -> LocalSocket {
    let number = coffer_accept_local(descriptor.rawValue)
    return LocalSocket(try Descriptor(opened: number, "cannot accept a connection"))
  }

  /// Limits how long ``awaitPacket()``, ``receive(into:)`` and ``send(_:)`` wait.
  package func setTimeouts(receiving: Duration, sending: Duration) throws(SystemError) {
    try SystemError.check(
      coffer_set_timeouts(descriptor.rawValue, receiving.milliseconds, sending.milliseconds),
      "cannot limit the time of a connection")
  }

  /// Waits for a packet, which is still to be received, and returns its size; 0 at the end of the connection. A timeout
  /// has the error `EAGAIN`.
  package func awaitPacket() throws(SystemError) -> Int {
    let count = coffer_await_packet(descriptor.rawValue)
    guard count >= 0 else { throw SystemError(errno, "cannot receive a packet") }
    return count
  }

  /// Receives a packet into memory, and returns its size; 0 at the end of the connection. A packet that does not fit
  /// has the error `EMSGSIZE`, and a timeout `EAGAIN`.
  package func receive(into bytes: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = unsafe coffer_receive_packet(descriptor.rawValue, bytes.baseAddress, bytes.count)
    guard count >= 0 else { throw SystemError(errno, "cannot receive a packet") }
    guard count <= bytes.count else { throw SystemError(EMSGSIZE, "cannot receive a packet") }
    return count
  }

  /// Sends a packet.
  package func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    let count = unsafe coffer_send_packet(descriptor.rawValue, bytes.baseAddress, bytes.count)
    guard count == bytes.count else { throw SystemError(count < 0 ? errno : EMSGSIZE, "cannot send a packet") }
  }

  /// The process that has opened the other end, as the kernel has recorded it then.
  package func peer() throws(SystemError) -> LocalPeer { try SocketPeer.process(of: descriptor.rawValue) }

  /// Opens a handle of that process.
  package func peerHandle(of peer: LocalPeer) throws(SystemError) -> ProcessHandle {
    let number = coffer_peer_process(descriptor.rawValue, peer.process)
    return ProcessHandle(
      try Descriptor(opened: number, SocketPeer.unidentified))
  }

  /// Ends the connection for both ends: whoever waits for a packet gets the end.
  package func shutDown() { _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }
}

/// A process at the other end of a connection.
package struct LocalPeer: Hashable, Sendable {
  package let process: Int32
  package let user: UInt32
  package let group: UInt32
}

/// A handle of a process that no other process can take over (pidfd).
package struct ProcessHandle: ~Copyable, Sendable {
  private let descriptor: Descriptor

  fileprivate init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Opens a handle of the process that has this number now. Throws an error whose `isNotFound` is true if there is
  /// none.
  package static func open(_ process: Int32) throws(SystemError) -> ProcessHandle {
    ProcessHandle(try Descriptor(opened: coffer_open_process(process), "cannot identify the process \(process)"))
  }

  /// Whether the process has ended.
  package var hasEnded: Bool { descriptor.hasInput }
}

extension Duration {
  fileprivate var milliseconds: Int32 {
    Int32(clamping: components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

/// The other end of a connection between two processes of this machine.
package enum SocketPeer {
  fileprivate static let unidentified = "cannot identify the other end of a connection"

  /// Returns the name to which the other end is bound: a path, or a NUL and an abstract name. Empty if it has none.
  package static func name(of descriptor: Int32) throws(SystemError) -> [UInt8] {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getpeername(descriptor, $0, &size)
      }
    }
    guard result == 0 else { throw SystemError(errno, unidentified) }
    guard address.sun_family == sa_family_t(AF_UNIX) else {
      throw SystemError(EAFNOSUPPORT, unidentified)
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    return unsafe withUnsafeBytes(of: address) { unsafe Array($0.prefix(Int(size)).dropFirst(start)) }
  }

  /// Returns the process that has opened the other end, as the kernel has recorded it then.
  package static func process(of descriptor: Int32) throws(SystemError) -> LocalPeer {
    var identity = coffer_peer_identity()
    try unsafe SystemError.check(coffer_peer(descriptor, &identity), unidentified)
    return LocalPeer(process: identity.process, user: identity.user, group: identity.group)
  }

  /// Returns the user whose socket of TCP on this machine has an address and is connected to a peer, which is a socket
  /// of this process; nil if there is no such socket. The addresses are IPv4 or IPv6 as text. Throws if the system does
  /// not say.
  package static func user(
    ofSocketAt own: (address: String, port: Int), connectedTo peer: (address: String, port: Int)
  ) throws(SystemError) -> UInt32? {
    var user = uid_t.max
    let number = unsafe coffer_tcp_user(own.address, Int32(own.port), peer.address, Int32(peer.port), &user)
    if number == 0 { return user }
    // A kernel without the module for TCP gives the same answer as for a socket that is gone. The peer is not gone.
    guard number == ENOENT,
      unsafe coffer_tcp_user(peer.address, Int32(peer.port), own.address, Int32(own.port), &user) != ENOENT
    else { throw SystemError(number, unidentified) }
    return nil
  }

  /// Returns the unit of systemd that a process belongs to; nil if there is none.
  package static func unit(ofProcess process: Int32) -> String? {
    let groups = FileManager.default.contents(atPath: "/proc/\(process)/cgroup") ?? Data()
    return unit(ofControlGroups: String(decoding: groups, as: UTF8.self))
  }

  /// Returns the innermost unit in a list of control groups, as in `/proc/PID/cgroup`.
  package static func unit(ofControlGroups list: String) -> String? {
    var groups: [Substring: Substring] = [:]
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      if fields.count == 3 { groups[fields[1]] = fields[2] }
    }
    // systemd's own hierarchy, or the only one.
    guard let group = groups["name=systemd"] ?? groups[""] else { return nil }
    let suffixes = [".service", ".scope", ".socket", ".mount", ".swap", ".slice"]
    let name = group.split(separator: "/").last { part in suffixes.contains { part.hasSuffix($0) } }
    // systemd writes `_` before names that the kernel could take for its own.
    return name.map { String($0.hasPrefix("_") ? $0.dropFirst() : $0) }
  }
}
