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
