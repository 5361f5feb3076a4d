package import Coffer
package import CofferCrypto
package import CofferFormat
package import CofferTrust
package import CofferVault
internal import Synchronization

/// The agent of this user, if one runs, as the keeper of keys.
package final class AgentKeeper: KeyKeeper {
  /// Why the command needs the keys, as its user says; it is shown to who is asked.
  private let reason: String
  /// For how long a lease is asked for.
  private let leaseSeconds: UInt32
  /// The groups of which the next deposit gets a lease: a passphrase that is typed for them is the answer of a person.
  private let demanded = Mutex<[GroupID]>([])
  /// Whether a passphrase may be asked for in this process.
  private let canAsk: @Sendable () -> Bool
  private let announce: @Sendable (String) -> Void

  /// Takes what shows a line to the user before a passphrase is asked for.
  package init(
    reason: String? = nil, leaseSeconds: Int? = nil, canAsk: @escaping @Sendable () -> Bool,
    announce: @escaping @Sendable (String) -> Void
  ) {
    self.reason = reason ?? ""
    self.leaseSeconds = leaseSeconds.map { UInt32(clamping: $0) } ?? AgentRequest.leaseSeconds
    self.canAsk = canAsk
    self.announce = announce
  }

  package func keys(
    of author: AuthorID, for groups: [RegisteredGroup], in local: LocalVault
  ) throws(VaultError) -> (any AuthorKeys)? {
    guard let connection = AgentConnection.open() else { return nil }
    let request = AgentRequest.open(
      folder: local.folder.path, author: author, groups: groups.prefix(AgentRequest.groupLimit).map(\.id),
      reason: reason, leaseSeconds: leaseSeconds)
    switch connection.ask(request) {
    case .opened?: return RemoteKeys(connection, opened: request)
    case .refused(.leaseRequired, let message)?:
      guard canAsk() else { throw RemoteKeys.error(.leaseRequired, message) }
      demanded.withLock { $0 = groups.map(\.id) }
      announce("\(message) demands that a person answers: the passphrase allows it in this terminal.")
      return nil
    case .refused(let reason, let message)? where reason == .denied || reason == .notAsked:
      throw RemoteKeys.error(reason, message)
    default: return nil
    }
  }

  package func keep(_ keys: PartyKeys, of author: AuthorID, in local: LocalVault) {
    guard let connection = AgentConnection.open() else { return }
    let leased = demanded.withLock { Array($0.prefix(AgentRequest.groupLimit)) }
    _ = connection.ask(
      .keep(
        AgentDeposit(
          folder: local.folder.path, author: author, secret: keys.secret, leased: leased, leaseSeconds: leaseSeconds)))
  }
}
