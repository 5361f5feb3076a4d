package import CofferCrypto
package import CofferFormat
internal import CofferPlatform
package import CofferTrust
package import CofferVault
internal import Synchronization

/// What an author's secret keys do when items are read and written, wherever they are: in this process, or in another
/// one, which does not give them away.
package protocol AuthorKeys: Sendable {
  /// Returns the key under which the author marks records of a group that it has verified; nil if the keys are
  /// elsewhere and cannot be reached. It opens and signs nothing.
  func verificationKey(of group: GroupID) -> SymmetricKey?

  /// Returns the secrets of the generations of a group's key that the author opens, by their numbers. The caller
  /// compares them with what the log commits to.
  func groupSecrets(of group: RegisteredGroup) throws(VaultError) -> [UInt32: SecretBytes]

  /// Signs a version of an item.
  func sign(_ record: UnsignedRecord) throws(VaultError) -> Signature

  /// Whether the keys are elsewhere, and the last call did not reach them.
  var areOutOfReach: Bool { get }
}

extension AuthorKeys {
  package var areOutOfReach: Bool { false }
}

/// An author's keys in the agent, which opens and signs with them and does not give them away.
final class RemoteKeys: AuthorKeys {
  private struct Session: ~Copyable {
    var connection: AgentConnection?
  }

  private let opening: AgentOpening
  /// Whether what answers may choose the key of the marks of verified records.
  private let trustsMarks: Bool
  /// Whether calls wait for a person whom the agent asks.
  private let awaitsPerson: Bool
  private let session: Mutex<Session>
  private let verificationKeys = Mutex<[GroupID: SymmetricKey]>([:])
  private let isOutOfReach = Atomic(false)

  var areOutOfReach: Bool { isOutOfReach.load(ordering: .relaxed) }

  /// Takes a connection on which the session has begun, and what began it.
  ///
  /// An app does not trust the marks: another program of the user could listen in the agent's place. Without the keys
  /// of a group it can only make calls fail, but with a key of marks that it has chosen, and the keys of a group from
  /// which the app reads and to which it may not write itself, it could make the app accept records that nobody has
  /// signed.
  init(
    _ connection: consuming AgentConnection, opened opening: AgentOpening, trustsMarks: Bool, awaitsPerson: Bool = true
  ) {
    self.awaitsPerson = awaitsPerson
    self.opening = opening
    self.trustsMarks = trustsMarks
    session = Mutex(Session(connection: connection))
  }

  func verificationKey(of group: GroupID) -> SymmetricKey? {
    guard trustsMarks else { return nil }
    if let key = verificationKeys.withLock({ $0[group] }) { return key }
    _ = try? secrets(of: group)
    return verificationKeys.withLock { $0[group] }
  }

  func groupSecrets(of group: RegisteredGroup) throws(VaultError) -> [UInt32: SecretBytes] {
    try secrets(of: group.id)
  }

  private func secrets(of group: GroupID) throws(VaultError) -> [UInt32: SecretBytes] {
    switch try ask(.groupKeys(group)) {
    case .secrets(let secrets, let verificationKey):
      if trustsMarks, let key = try? SymmetricKey(verificationKey) {
        verificationKeys.withLock { $0[group] = key }
      }
      return secrets
    case .refused(let reason, let message): throw Self.error(reason, message, isApp: !trustsMarks)
    default: throw ended
    }
  }

  func sign(_ record: UnsignedRecord) throws(VaultError) -> Signature {
    switch try ask(.sign(record)) {
    case .signature(let signature): return signature
    case .refused(let reason, let message): throw Self.error(reason, message, isApp: !trustsMarks)
    default: throw ended
    }
  }

  /// Asks, and begins the session again if the agent has closed it, was locked and unlocked meanwhile, or another one
  /// runs now, or if this process has changed its name or its arguments since the session began.
  private func ask(_ request: AgentRequest) throws(VaultError) -> AgentResponse {
    let outcome: Result<AgentResponse, VaultError> = session.withLock { session in
      switch session.connection?.ask(request, awaitsPerson: awaitsPerson) {
      case nil, .refused(.locked, _)?, .refused(.otherProcess, _)?: break
      case let answer?: return .success(answer)
      }
      session.connection = AgentConnection.open()
      switch session.connection?.ask(.open(opening), awaitsPerson: awaitsPerson) {
      case .opened?: break
      case .refused(let reason, let message)?: return .failure(Self.error(reason, message, isApp: !trustsMarks))
      default: return .failure(ended)
      }
      guard let answer = session.connection?.ask(request, awaitsPerson: awaitsPerson) else { return .failure(ended) }
      return .success(answer)
    }
    // A person can give the passphrase to the app in place of what the agent refuses.
    let isReached =
      switch outcome {
      case .failure, .success(.refused(.leaseRequired, _)): false
      case .success: true
      }
    isOutOfReach.store(!isReached, ordering: .relaxed)
    return try outcome.get()
  }

  private var ended: VaultError {
    VaultError(
      .locked, "the agent that keeps the keys has ended or does not answer",
      recoverySuggestion: trustsMarks
        ? "run the command again, which then asks for the passphrase" : "unlock the keys with: coffer unlock")
  }

  /// Returns the error of a refusal, for an app or for a command of `coffer`.
  static func error(_ reason: AgentResponse.Refusal, _ message: String, isApp: Bool = false) -> VaultError {
    switch reason {
    case .locked:
      return VaultError(.locked, "the agent was locked meanwhile", recoverySuggestion: "unlock it with: coffer unlock")
    case .leaseRequired:
      return VaultError(
        .locked, "\(message) demands that a person answers, and nobody can be asked",
        recoverySuggestion: isApp
          ? "start the app on the desktop on which the agent was started, or unlock its vault with the passphrase"
          : "run the command in a terminal")
    case .denied:
      return VaultError(
        .authenticationCancelled, "the use of \(message) was not allowed",
        recoverySuggestion: "\(isApp ? "start the app" : "run the command") again, and allow it in the dialog")
    case .notAsked:
      return VaultError(
        .locked,
        "nobody is asked about \(message): too many questions wait, or somebody has refused one a moment ago",
        recoverySuggestion: "answer the dialogs that wait, and try again in a minute")
    case .otherApp:
      // The second line is what to do.
      let lines = message.split(separator: "\n", maxSplits: 1).map(String.init)
      return VaultError(
        .notEntitled, "the agent gives the keys only to the app: \(lines.first ?? "")",
        recoverySuggestion: lines.count > 1 ? lines[1] : "start the app's own program")
    case .malformed, .failed, .otherProcess:
      return VaultError(
        .io, "the agent refuses: \(message)", recoverySuggestion: "lock it with `coffer lock`, then try again")
    }
  }
}
