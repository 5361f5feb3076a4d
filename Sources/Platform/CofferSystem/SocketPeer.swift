internal import CPlatform
internal import CofferPlatform

/// The other end of a connection between two processes of this machine.
package enum SocketPeer {
  /// Returns the name to which the other end is bound: a path, or a NUL and an abstract name. Empty if it has none.
  package static func name(of descriptor: Int32) throws(SystemError) -> [UInt8] {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getpeername(descriptor, $0, &size)
      }
    }
    guard result == 0 else { throw SystemError(errno, "cannot identify the other end of a connection") }
    guard address.sun_family == sa_family_t(AF_UNIX) else {
      throw SystemError(EAFNOSUPPORT, "cannot identify the other end of a connection")
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    return unsafe withUnsafeBytes(of: address) { unsafe Array($0.prefix(Int(size)).dropFirst(start)) }
  }

  /// Returns the process that has opened the other end, as the kernel has recorded it then.
  package static func process(of descriptor: Int32) throws(SystemError) -> LocalPeer {
    var identity = coffer_peer_identity()
    let number = unsafe coffer_peer(descriptor, &identity)
    guard number == 0 else { throw SystemError(number, "cannot identify the other end of a connection") }
    return LocalPeer(process: identity.process, user: identity.user, group: identity.group)
  }

  /// Returns the user whose socket of TCP on this machine has an address and is connected to a peer, which is a socket of
  /// this process; nil if there is no such socket. The addresses are IPv4 or IPv6 as text. Throws if the system does not
  /// say.
  package static func user(
    ofSocketAt own: (address: String, port: Int), connectedTo peer: (address: String, port: Int)
  ) throws(SystemError) -> UInt32? {
    var user = uid_t.max
    let number = unsafe coffer_tcp_user(own.address, Int32(own.port), peer.address, Int32(peer.port), &user)
    if number == 0 { return user }
    // A kernel without the module for TCP gives the same answer as for a socket that is gone. The peer is not gone.
    guard number == ENOENT,
      unsafe coffer_tcp_user(peer.address, Int32(peer.port), own.address, Int32(own.port), &user) != ENOENT
    else { throw SystemError(number, "cannot identify the other end of a connection") }
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
