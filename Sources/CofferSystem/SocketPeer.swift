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

  /// Returns the user that has opened the other end, as the kernel has recorded it then.
  package static func user(of descriptor: Int32) throws(SystemError) -> UInt32 {
    var identity = coffer_peer_identity()
    let number = unsafe coffer_peer(descriptor, &identity)
    guard number == 0 else { throw SystemError(number, "cannot identify the other end of a connection") }
    return identity.user
  }
}
