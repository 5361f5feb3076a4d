internal import NIOCore
internal import Synchronization

/// The open connections of both addresses, and how many there may be.
///
/// A new connection never waits: if there are too many, the oldest one without a session is closed. So nobody who opens
/// connections and holds them can keep a browser out, and a browser with a session keeps its connections.
final class ConnectionLimit: Sendable {
  private struct Connection {
    let channel: any Channel
    let number: Int
    var isAuthenticated = false
    /// Whether a process of this user has opened it; nil if that was not looked up yet.
    var isOwn: Bool?
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var count = 0
  }

  /// The largest number of open connections.
  static let maximum = 128

  private let state = Mutex(State())

  /// Adds a connection, and closes another one if there are too many.
  func add(_ channel: any Channel) {
    let excess: (any Channel)? = state.withLock { state in
      var excess: Connection?
      if state.connections.count >= Self.maximum {
        let candidates = state.connections.values.filter { !$0.isAuthenticated }
        excess = (candidates.isEmpty ? Array(state.connections.values) : candidates).min { $0.number < $1.number }
        if let excess { state.connections[ObjectIdentifier(excess.channel)] = nil }
      }
      state.count += 1
      state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, number: state.count)
      return excess?.channel
    }
    excess?.close(promise: nil)
    channel.closeFuture.whenComplete { [weak self, weak channel] _ in
      guard let channel else { return }
      self?.remove(channel)
    }
  }

  /// Notes that a request with a session has come on a connection.
  func noteAuthentication(of channel: any Channel) {
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.isAuthenticated = true }
  }

  /// Returns whether a process of this user has opened a connection. It is looked up once.
  func isOwn(_ channel: any Channel) -> Bool {
    if let known = state.withLock({ $0.connections[ObjectIdentifier(channel)]?.isOwn }) { return known }
    let isOwn = PeerOwner.isThisUser(of: channel)
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.isOwn = isOwn }
    return isOwn
  }

  private func remove(_ channel: any Channel) {
    state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  /// Closes all connections.
  func closeAll() {
    let channels = state.withLock { $0.connections.values.map(\.channel) }
    for channel in channels { channel.close(promise: nil) }
  }
}
