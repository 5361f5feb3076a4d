internal import CGit2

/// What became of a push.
package enum PushOutcome: Sendable, Hashable {
  /// The remote's reference names the commit now.
  case accepted
  /// The remote's reference did not move: somebody was first, or the remote does not want it. What the remote
  /// said, for people.
  case rejected(reason: String)
}

extension Repository {
  /// Asks a remote for its references. An empty repository has none. `HEAD` and what tags point at are left out.
  package func remoteReferences(
    of url: RemoteURL, limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> [String: ObjectID] {
    let transfer = transfer(url, limits, cancellation, isPush: false)
    return try converse(transfer) { (remote: borrowing Handle) throws(GitError) in
      try advertisedReferences(of: remote, transfer)
    }
  }

  /// Fetches branches into references of this repository, whatever these named before; nothing else changes.
  ///
  /// - Parameters:
  ///   - branches: the remote's references, `refs/heads/x`, and for each the reference here.
  ///   - progress: called often, on the calling thread.
  /// - Returns: all references of the remote, as in `remoteReferences`, from the same conversation. A branch that
  ///   is not among them has its reference here removed.
  /// - Throws: among others `.tooLarge` when the remote goes beyond `limits`. Nothing has changed then.
  @discardableResult
  package func fetch(
    _ branches: [String: String], from url: RemoteURL, limits: TransferLimits = TransferLimits(),
    cancellation: Cancellation = Cancellation(), progress: ((TransferProgress) -> Void)? = nil
  ) throws(GitError) -> [String: ObjectID] {
    try fetch(from: url, limits: limits, cancellation: cancellation, progress: progress) { _ in branches }
  }

  /// Fetches the branches that `selecting` chooses from the remote's references, in one conversation.
  @discardableResult
  package func fetch(
    from url: RemoteURL, limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation(),
    progress: ((TransferProgress) -> Void)? = nil, selecting: ([String: ObjectID]) -> [String: String]
  ) throws(GitError) -> [String: ObjectID] {
    let transfer = transfer(url, limits, cancellation, isPush: false, progress: progress)
    return try converse(transfer) { (remote: borrowing Handle) throws(GitError) in
      let references = try advertisedReferences(of: remote, transfer)
      let branches = selecting(references)
      for (name, local) in branches {
        try Self.requireReferenceName(name)
        try Self.requireReferenceName(local)
      }
      let present = branches.filter { references[$0.key] != nil }
      if !present.isEmpty { try download(present.keys.sorted(), remote, transfer) }
      for (name, local) in branches { try setReference(local, to: references[name]) }
      return references
    }
  }

  /// Makes a remote's reference name a commit, if that loses nothing which is there: the reference is new, or
  /// names an ancestor. Never forced.
  package func push(
    _ commit: ObjectID, to remoteReference: String, at url: RemoteURL, limits: TransferLimits = TransferLimits(),
    cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> PushOutcome {
    try Self.requireReferenceName(remoteReference)
    _ = try lookUpCommit(commit)
    let transfer = transfer(url, limits, cancellation, isPush: true)
    return try converse(transfer) { (remote: borrowing Handle) throws(GitError) in
      if try advertisedReferences(of: remote, transfer)[remoteReference] == commit { return .accepted }
      // libgit2 pushes only what a reference names.
      try setReference(Self.pushedReference, to: commit)
      let outcome: PushOutcome
      do throws(GitError) {
        outcome = try upload("\(Self.pushedReference):\(remoteReference)", remoteReference, remote, transfer)
      } catch {
        try setReference(Self.pushedReference, to: nil)
        throw error
      }
      try setReference(Self.pushedReference, to: nil)
      return outcome
    }
  }

  private static let pushedReference = "refs/coffer/pushed"

  /// Deletes a remote's reference, if it still names `expected`. One that is gone already counts as deleted.
  package func deleteReference(
    _ remoteReference: String, expecting expected: ObjectID, at url: RemoteURL,
    limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> PushOutcome {
    try Self.requireReferenceName(remoteReference)
    let transfer = transfer(url, limits, cancellation, isPush: true)
    transfer.mayUpdate = { name, current in name == remoteReference && current == expected }
    return try converse(transfer) { (remote: borrowing Handle) throws(GitError) in
      guard let current = try advertisedReferences(of: remote, transfer)[remoteReference] else {
        return .accepted
      }
      guard current == expected else { return .rejected(reason: "the reference has moved to \(current)") }
      return try upload(":\(remoteReference)", remoteReference, remote, transfer)
    }
  }
}

extension Repository {
  private func transfer(
    _ url: RemoteURL, _ limits: TransferLimits, _ cancellation: Cancellation, isPush: Bool,
    progress: ((TransferProgress) -> Void)? = nil
  ) -> Transfer {
    let connection = Connection(to: url, programs: programs, limits: limits, cancellation: cancellation)
    return Transfer(connection, isPush: isPush, progress: progress)
  }

  private func converse<Value>(
    _ transfer: Transfer, _ body: (borrowing Handle) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    // However this ends, no child outlives it.
    defer { transfer.connection.abandon() }
    let context = transfer.connection.remote.description
    var options = unsafe git_remote_create_options()
    try check(
      unsafe git_remote_create_options_init(&options, UInt32(GIT_REMOTE_CREATE_OPTIONS_VERSION)), context: context)
    unsafe options.repository = handle.pointer
    unsafe options.flags =
      GIT_REMOTE_CREATE_SKIP_INSTEADOF.rawValue | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC.rawValue
    // The real URL is the connection's: libgit2 has no say in where it leads.
    let remote = unsafe try Handle(context: context, git_remote_free) {
      unsafe git_remote_create_with_opts(&$0, "coffer://remote", &options)
    }
    // Not every failure of the protocol sets a text: an old one must not stand for it.
    git_error_clear()
    var callbacks = unsafe try transfer.callbacks()
    let direction = transfer.isPush ? GIT_DIRECTION_PUSH : GIT_DIRECTION_FETCH
    let result = unsafe git_remote_connect(remote.pointer, direction, &callbacks, nil, nil)
    guard result == 0 else { throw transfer.error(for: result) }
    // Up to here nothing of the cache was read. One without references holds nothing to read: so the caller, who
    // makes a corrupt cache anew, learns then whether it was the remote.
    transfer.mayBlameCache = try hasReferences()
    let value = try body(remote)
    unsafe git_remote_disconnect(remote.pointer)
    // The remote may still be running the hooks that follow a push.
    transfer.connection.close(patience: min(transfer.connection.limits.idleTimeout, .seconds(10)))
    extendLifetime(remote)
    return value
  }

  private func advertisedReferences(
    of remote: borrowing Handle, _ transfer: Transfer
  ) throws(GitError) -> [String: ObjectID] {
    var heads: UnsafeMutablePointer<UnsafePointer<git_remote_head>?>?
    var count = 0
    let result = unsafe git_remote_ls(&heads, &count, remote.pointer)
    guard result == 0 else { throw transfer.error(for: result) }
    var references: [String: ObjectID] = [:]
    for index in 0..<count {
      guard let head = unsafe heads?[index]?.pointee, let name = unsafe head.name else { continue }
      let text = unsafe String(cString: name)
      let id = ObjectID(unsafe head.oid)
      if text.hasPrefix("refs/"), !text.hasSuffix("^{}"), !id.isZero { references[text] = id }
    }
    return references
  }

  private func download(_ names: [String], _ remote: borrowing Handle, _ transfer: Transfer) throws(GitError) {
    var options = unsafe git_fetch_options()
    try check(
      unsafe git_fetch_options_init(&options, UInt32(GIT_FETCH_OPTIONS_VERSION)),
      context: transfer.connection.remote.description)
    unsafe options.callbacks = try transfer.callbacks()
    unsafe options.update_fetchhead = 0
    unsafe options.prune = GIT_FETCH_NO_PRUNE
    unsafe options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE
    let result = unsafe withStringArray(names) { [remote = unsafe remote.pointer] in
      unsafe git_remote_download(remote, &$0, &options)
    }
    guard result == 0 else { throw transfer.error(for: result) }
  }

  private func upload(
    _ refspec: String, _ name: String, _ remote: borrowing Handle, _ transfer: Transfer
  ) throws(GitError) -> PushOutcome {
    var options = unsafe git_push_options()
    try check(
      unsafe git_push_options_init(&options, UInt32(GIT_PUSH_OPTIONS_VERSION)),
      context: transfer.connection.remote.description)
    unsafe options.callbacks = try transfer.callbacks()
    unsafe options.pb_parallelism = 1
    let result = unsafe withStringArray([refspec]) { [remote = unsafe remote.pointer] in
      unsafe git_remote_upload(remote, &$0, &options)
    }
    if result == GIT_ENONFASTFORWARD.rawValue {
      return .rejected(reason: "the remote has commits that are not in this history")
    }
    guard result == 0 else { throw transfer.error(for: result) }
    // libgit2 returns 0 for a push that the server refused: only the status tells.
    switch transfer.statuses[name] {
    case .some(nil): return .accepted
    case .some(let status?):
      let message = transfer.remoteMessage
      let reason = status.asTerminalLine
      return .rejected(reason: message.isEmpty ? reason : "\(reason): \(message)")
    case nil:
      throw GitError(
        .protocolError, "the remote did not say what became of \(name)",
        context: transfer.connection.remote.description)
    }
  }

  private func withStringArray(_ strings: [String], _ body: (inout git_strarray) -> Int32) -> Int32 {
    var pointers = unsafe strings.map { string -> UnsafeMutablePointer<CChar>? in
      let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: string.utf8.count + 1)
      _ = unsafe bytes.initialize(from: string.utf8.map { CChar(bitPattern: $0) } + [0])
      return bytes.baseAddress
    }
    defer { unsafe pointers.forEach { unsafe $0?.deallocate() } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      var array = unsafe git_strarray(strings: buffer.baseAddress, count: buffer.count)
      return unsafe body(&array)
    }
  }
}
