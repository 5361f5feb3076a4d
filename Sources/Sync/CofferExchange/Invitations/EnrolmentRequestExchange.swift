internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// The side of a new machine in an invitation: it posts its request, and waits for the answer.
package struct EnrolmentRequestExchange {
  private let branch: RemoteLayout.InvitationBranch
  private let access: RemoteAccess
  private let cancellation: Cancellation

  /// The times between two looks at the repository: each is longer than the one before.
  private static let pauses: [Duration] = [
    .seconds(1), .seconds(1), .seconds(2), .seconds(3), .seconds(5), .seconds(8),
  ]

  /// Takes the identifier of the invitation and the label of the request, both in hexadecimal. Throws `invalidArgument`
  /// if one of them is malformed.
  package init(
    invitation: String, label: String, access: RemoteAccess = RemoteAccess(),
    cancellation: Cancellation = Cancellation()
  ) throws(VaultError) {
    guard let id = bytes(hexadecimal: invitation).flatMap({ Bytes16($0) }),
      let label = bytes(hexadecimal: label).flatMap({ Bytes16($0) })
    else {
      throw VaultError(
        .invalidArgument, "the identifiers of the request are malformed",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
    branch = RemoteLayout.InvitationBranch(invitation: InvitationID(id), label: label)
    var access = access
    access.limits = access.limits.receiving(atMost: 1 << 20)
    self.access = access
    self.cancellation = cancellation
  }

  /// Posts the sealed request unless the repository has it, and waits for the answer, which is not opened. If the host
  /// drops the request, it is posted again. `ignored` is a file of an answer that did not open, after which another one
  /// is waited for. `waiting` is called before each pause, with the remaining time; false ends the wait. Throws
  /// `network` if the repository cannot be reached, refuses the request or, within the timeout, has no answer.
  package func answer(
    to request: [UInt8], at text: String, in folder: VaultFolder, timeout: Duration,
    ignoring ignored: [UInt8]? = nil, waiting: (Duration) -> Bool
  ) throws(VaultError) -> [UInt8] {
    let url = try translatingAll { () throws(GitError) in try RemoteURL(text) }
    let end = ContinuousClock.now + timeout
    var attempt = 0
    var isPosted = ignored != nil
    var failure: VaultError?
    while true {
      do throws(VaultError) {
        failure = nil
        if let answer = try look(for: request, at: url, in: folder, ignoring: ignored) { return answer }
        isPosted = true
      } catch {
        // Once the request is there, the network may come and go.
        guard isPosted, error.code == .network, !cancellation.isCancelled else { throw error }
        failure = error
      }
      let remaining = end - ContinuousClock.now
      guard remaining > .zero else { throw failure ?? Self.noAnswer(at: url, within: timeout) }
      guard waiting(remaining) else { throw Self.interrupted }
      try pause(min(remaining, Self.pauses[min(attempt, Self.pauses.count - 1)]))
      attempt += 1
    }
  }

  /// Deletes the branch of the request. Throws `network` if the repository cannot be reached or refuses.
  package func withdraw(from text: String, in folder: VaultFolder) throws(VaultError) {
    try translatingAll {
      let url = try RemoteURL(text)
      let outcome = try access.withConnection(to: url, cachedIn: folder, cancellation: cancellation) {
        try $0.repository.removeReference(branch.name, at: url, limits: $0.limits, cancellation: cancellation)
      }
      guard case .rejected(let reason) = outcome else { return }
      throw VaultError(
        .network, "\(url) does not delete the branch of the request: \(reason)",
        recoverySuggestion: "delete it with: git push \(url.description.shellWord) --delete \(branch.name)")
    }
  }

  private func look(
    for request: [UInt8], at url: RemoteURL, in folder: VaultFolder, ignoring ignored: [UInt8]?
  ) throws(VaultError) -> [UInt8]? {
    // Not during the pauses: after a kill, the same command can go on at once.
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    return try translatingAll {
      try access.withConnection(to: url, cachedIn: folder, cancellation: cancellation) { connection in
        let repository = connection.repository
        defer { try? repository.setReference(branch.cached, to: nil) }
        let references = try connection.fetch { _ in [branch.name: branch.cached] }
        let tip = references[branch.name]
        if let tip {
          if let answer = try answer(at: tip, of: repository), answer != ignored { return answer }
          let path = RemoteLayout.InvitationBranch.requestPath
          if try repository.invitationFile(path, at: tip) == request { return nil }
        }
        try post(request, onto: tip, connection)
        return nil
      }
    }
  }

  /// Returns the file of the answer; an empty one if there is one that cannot be read.
  private func answer(at tip: ObjectID, of repository: Repository) throws(GitError) -> [UInt8]? {
    let path = RemoteLayout.InvitationBranch.answerPath
    let answer = try GitError.ignoringFaults { () throws(GitError) in
      try repository.blob(at: path, in: tip, maximumByteCount: Limits.invitationFileByteCount)
    }
    return answer ?? []
  }

  private func post(_ request: [UInt8], onto tip: ObjectID?, _ connection: RemoteConnection) throws {
    let path = RemoteLayout.InvitationBranch.requestPath
    let commit = try connection.repository.commit(adding: [(path, request)], onto: tip, replacesObstacles: true)
    let outcome = try connection.push(commit, to: branch.name)
    guard case .rejected(let reason) = outcome else { return }
    throw VaultError(
      .network, "\(connection.url) refuses the request of this machine: \(reason)",
      recoverySuggestion:
        "a new machine needs the right to push branches whose names begin with invite-; then run the same command again"
    )
  }

  /// Waits, and ends early if the exchange is cancelled.
  private func pause(_ time: Duration) throws(VaultError) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      guard !cancellation.isCancelled else { throw Self.interrupted }
      usleep(50_000)
    }
  }

  private static func noAnswer(at url: RemoteURL, within timeout: Duration) -> VaultError {
    let minutes = timeout.components.seconds / 60
    return VaultError(
      .network,
      "no answer to the request has come to \(url) within \(minutes > 0 ? "\(minutes) minutes" : "\(timeout.components.seconds) seconds")",
      recoverySuggestion:
        "on the machine that made the code, run `coffer sync` and `coffer device approve`; then run the same command here, which goes on with this request. If no request arrives there, compare this URL with `coffer remote show` there"
    )
  }

  private static let interrupted = VaultError(
    .cancelled, "the wait for the answer was interrupted",
    recoverySuggestion: "run the same command again: it goes on with this request")
}

extension TransferLimits {
  /// Returns the limits of a transfer of a few small files, with at most `byteCount` bytes in addition to the remote's
  /// list of references. That has its own limit: an attacker with push access can make it long.
  func receiving(atMost byteCount: Int) -> TransferLimits {
    var limits = self
    limits.maximumBytes = min(maximumBytes, maximumReferenceBytes + byteCount)
    return limits
  }
}
