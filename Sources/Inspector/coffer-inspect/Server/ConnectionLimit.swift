internal import CofferPlatform
internal import CofferSystem
internal import NIOCore
internal import Synchronization

/// The open connections of both addresses, and how many there may be.
///
/// A new connection never waits: if there are too many, the oldest one without a session is closed. So nobody who opens
/// connections and holds them can keep a browser out, and a browser with a session keeps its connections. Other users
/// have a few connections of their own, beyond which theirs are closed at once: they never take the place of this
/// user's, however fast they come.
final class ConnectionLimit: Sendable {
  private struct Connection {
    let channel: any Channel
    let number: Int
    var isAuthenticated = false
    /// Whether a process of this user has opened it; nil if the kernel did not say, and the list was not read yet.
    var isOwn: Bool?
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var foreignCount = 0
    var count = 0
  }

  /// The largest number of open connections, and of those of other users among them. Theirs get answers that explain
  /// why they are refused.
  static let maximum = 128
  static let foreignMaximum = 16

  private let state = Mutex(State())

  /// Adds a connection, and closes another one if there are too many. Returns false, and adds nothing, for one that
  /// other users have too many of.
  func add(_ channel: any Channel) -> Bool {
    let isOwn = PeerOwner.isThisUserSaysKernel(of: channel)
    let (isAdded, excess): (Bool, (any Channel)?) = state.withLock { state in
      if isOwn == false {
        guard state.foreignCount < Self.foreignMaximum else { return (false, nil) }
        state.foreignCount += 1
      }
      var excess: Connection?
      if state.connections.count >= Self.maximum {
        let all = state.connections.values
        let candidates = [all.filter { $0.isOwn == false }, all.filter { !$0.isAuthenticated }, Array(all)]
        excess = candidates.first { !$0.isEmpty }?.min { $0.number < $1.number }
        if let excess { Self.remove(excess.channel, from: &state) }
      }
      state.count += 1
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, number: state.count, isOwn: isOwn)
      return (true, excess?.channel)
    }
    guard isAdded else { return false }
    excess?.close(promise: nil)
    channel.closeFuture.whenComplete { [weak self, weak channel] _ in
      guard let channel else { return }
      self?.remove(channel)
    }
    return true
  }

  /// Notes that a request with a session has come on a connection.
  func noteAuthentication(of channel: any Channel) {
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.isAuthenticated = true }
  }

  /// Returns whether a process of this user has opened a connection. It is looked up once.
  func isOwn(_ channel: any Channel) -> Bool {
    if let known = state.withLock({ $0.connections[ObjectIdentifier(channel)]?.isOwn }) { return known }
    let isOwn = PeerOwner.isThisUserByList(of: channel)
    state.withLock { state in
      guard var connection = state.connections[ObjectIdentifier(channel)], connection.isOwn == nil else { return }
      connection.isOwn = isOwn
      state.connections[ObjectIdentifier(channel)] = connection
      if !isOwn { state.foreignCount += 1 }
    }
    return isOwn
  }

  private func remove(_ channel: any Channel) {
    state.withLock { Self.remove(channel, from: &$0) }
  }

  private static func remove(_ channel: any Channel, from state: inout State) {
    let removed = state.connections.removeValue(forKey: ObjectIdentifier(channel))
    if let removed, removed.isOwn == false { state.foreignCount -= 1 }
  }

  /// Closes all connections.
  func closeAll() {
    let channels = state.withLock { $0.connections.values.map(\.channel) }
    for channel in channels { channel.close(promise: nil) }
  }
}

/// Which user's process is at the other end of a connection, as the kernel lists it on Linux.
///
/// A cookie goes to every port of its host. So a server of another user on this machine could obtain it, by a link that
/// the victim follows. This is why a session also requires a connection of the same user.
enum PeerOwner {
  /// Returns whether a process of this user has opened the connection over a loopback address: false also for one that
  /// has ended, and nil if the kernel does not say by its addresses. That takes the same time for each connection,
  /// however many the machine has.
  static func isThisUserSaysKernel(of channel: any Channel) -> Bool? {
    guard let peer = channel.remoteAddress, let own = channel.localAddress, let address = peer.ipAddress,
      let ownAddress = own.ipAddress
    else { return false }
    do throws(SystemError) {
      let user = try SocketPeer.user(
        ofSocketAt: (address, peer.port ?? 0), connectedTo: (ownAddress, own.port ?? 0))
      return user == geteuid()
    } catch {
      return nil
    }
  }

  /// Returns the same from the kernel's list of all connections, and true if the system has none.
  static func isThisUserByList(of channel: any Channel) -> Bool {
    guard let peer = channel.remoteAddress, let own = channel.localAddress else { return false }
    let path = if case .v6 = own { "/proc/net/tcp6" } else { "/proc/net/tcp" }
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return errno == ENOENT }
    let list = Descriptor(owning: number).readToEnd(maximumByteCount: 64 << 20)
    return owner(of: text(peer), connectedTo: text(own), in: list) == geteuid()
  }

  /// Returns the user whose socket has these addresses, written as in `list`: the content of `/proc/net/tcp` or
  /// `/proc/net/tcp6`. Nil if the list has no such socket.
  static func owner(of local: String, connectedTo remote: String, in list: [UInt8]) -> uid_t? {
    let addresses = Array(": \(local) \(remote) ".utf8)
    for row in list.split(separator: UInt8(ascii: "\n")) {
      // The number of the row precedes the addresses. A machine may have thousands of rows, so none is split in vain.
      guard let colon = row.firstIndex(of: UInt8(ascii: ":")), row[colon...].starts(with: addresses) else { continue }
      // The state, the queues, the timer and the number of retransmissions come before the user.
      let fields = row[(colon + addresses.count)...].split(separator: UInt8(ascii: " "), maxSplits: 5)
      return fields.count > 4 ? uid_t(String(decoding: fields[4], as: UTF8.self)) : nil
    }
    return nil
  }

  /// Returns an address in the form of the kernel's list: words of 32 bits in the machine's byte order, and the port.
  static func text(_ address: SocketAddress) -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let isLong = if case .v6 = address { true } else { false }
    guard let ip = address.ipAddress, unsafe inet_pton(isLong ? AF_INET6 : AF_INET, ip, &bytes) == 1 else { return "" }
    if !isLong { bytes.removeLast(12) }
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
    }
    let port = UInt32(address.port ?? 0)
    return words.map { hexadecimal(littleEndian: $0, digits: 8) }.joined() + ":"
      + hexadecimal(littleEndian: port, digits: 4)
  }

  private static func hexadecimal(littleEndian word: UInt32, digits: Int) -> String {
    let text = String(word, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
