package import CofferCrypto
package import CofferFormat
internal import CofferSystem
package import CofferTrust
package import CofferVault
internal import Synchronization

/// Keeps keys that are sealed under this machine's passphrase while they are not needed, so that it is typed once and
/// not for each command.
package protocol KeyKeeper: Sendable {
  /// Returns what does an author's work, with its keys elsewhere; nil if nobody keeps them.
  ///
  /// - Parameters:
  ///   - author: The author.
  ///   - groups: The access groups that are going to be used. A person may be asked now, and not within a transaction.
  ///   - local: The vault.
  /// - Returns: What does the author's work.
  /// - Throws: ``VaultError``: `authenticationCancelled` if a person refuses; `locked` if nobody can be asked.
  func keys(
    of author: AuthorID, for groups: [RegisteredGroup], in local: LocalVault
  ) throws(VaultError) -> (any AuthorKeys)?

  /// Takes an author's keys, which a passphrase has opened. It is no error if nobody keeps them.
  func keep(_ keys: PartyKeys, of author: AuthorID, in local: LocalVault)
}

/// The agent of this user, if one runs, as the keeper of keys.
package final class AgentKeeper: KeyKeeper {
  private let purpose: KeyPurpose
  /// Why the command needs the keys, as its user says; it is shown to who is asked.
  private let reason: String
  /// For how long a lease is asked for.
  private let leaseSeconds: UInt32
  /// The groups of which the next deposit gets a lease: a passphrase that is typed for them is the answer of a person.
  private let demanded = Mutex<[GroupID]>([])
  /// Asks for a passphrase in this process; nil for an app, which does that itself.
  private let prompt: Prompt?
  /// Whether calls wait for a person whom the agent asks.
  private let awaitsPerson: Bool

  /// How a program asks.
  package struct Prompt: Sendable {
    fileprivate let canAsk: @Sendable () -> Bool
    fileprivate let announce: @Sendable (String) -> Void

    /// `announce` shows a line to the user before a passphrase is asked for.
    package init(canAsk: @escaping @Sendable () -> Bool, announce: @escaping @Sendable (String) -> Void) {
      self.canAsk = canAsk
      self.announce = announce
    }
  }

  /// Creates the keeper of a program's own keys, for an app if `prompt` is nil. Without `awaitsPerson`, calls that a
  /// person would have to allow fail with `locked`, although the agent goes on asking that person.
  package init(
    for purpose: KeyPurpose, reason: String? = nil, leaseSeconds: Int? = nil, prompt: Prompt? = nil,
    awaitsPerson: Bool = true
  ) {
    self.awaitsPerson = awaitsPerson
    self.purpose = purpose
    self.reason = reason ?? ""
    self.leaseSeconds = leaseSeconds.map { UInt32(clamping: $0) } ?? AgentRequest.leaseSeconds
    self.prompt = prompt
  }

  /// Whether a person has to answer although the agent has the keys, so that a passphrase is the answer.
  package var demandsAnswer: Bool { demanded.withLock { !$0.isEmpty } }

  package func keys(
    of author: AuthorID, for groups: [RegisteredGroup], in local: LocalVault
  ) throws(VaultError) -> (any AuthorKeys)? {
    guard let connection = AgentConnection.open() else { return nil }
    let opening = AgentOpening(
      folder: local.folder.path, author: author, groups: groups.prefix(AgentRequest.groupLimit).map(\.id),
      purpose: purpose, reason: reason, leaseSeconds: leaseSeconds)
    switch connection.ask(.open(opening), awaitsPerson: awaitsPerson) {
    case .opened?:
      return RemoteKeys(connection, opened: opening, trustsMarks: prompt != nil, awaitsPerson: awaitsPerson)
    case .refused(.leaseRequired, let message)?:
      guard let prompt, prompt.canAsk() else {
        throw RemoteKeys.error(.leaseRequired, message, isApp: prompt == nil)
      }
      demanded.withLock { $0 = groups.map(\.id) }
      prompt.announce(
        "\(message) demands that a person answers: the passphrase allows it in this terminal for \(counted(seconds: Int(leaseSeconds)))."
      )
      return nil
    case .refused(let reason, let message)? where reason == .denied || reason == .notAsked:
      throw RemoteKeys.error(reason, message, isApp: prompt == nil)
    default: return nil
    }
  }

  package func keep(_ keys: PartyKeys, of author: AuthorID, in local: LocalVault) {
    guard let connection = AgentConnection.open() else { return }
    let leased = demanded.withLock { Array($0.prefix(AgentRequest.groupLimit)) }
    _ = connection.ask(
      .keep(
        AgentDeposit(
          folder: local.folder.path, author: author, secret: keys.secret, leased: leased, purpose: purpose,
          leaseSeconds: leaseSeconds)))
  }
}
