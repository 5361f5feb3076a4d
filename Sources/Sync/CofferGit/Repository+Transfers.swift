internal import CGit2

extension Repository {
  /// Fetches branches of a remote into references of this repository, whatever these named before; nothing else
  /// changes. `selecting` receives the remote's references and returns the branches to fetch (`refs/heads/x`), each
  /// with the reference of this repository that is set to it. A branch that does not exist at the remote has its
  /// reference here deleted.
  ///
  /// `progress` is called often, on the calling thread. Returns all references of the remote without `HEAD` and the
  /// targets of tags; none if the repository is empty. If it throws, for example `.tooLarge` if the remote exceeds
  /// `limits`, no reference has changed.
  @discardableResult
  package func fetch(
    from url: RemoteURL, limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation(),
    progress: ((TransferProgress) -> Void)? = nil, selecting: ([String: ObjectID]) -> [String: String]
  ) throws(GitError) -> [String: ObjectID] {
    let transfer = transfer(url, limits, cancellation, progress: progress)
    return try withRemote(of: transfer) { (remote: borrowing LibGit2Object) throws(GitError) in
      let references = try advertisedReferences(of: remote, transfer)
      let branches = selecting(references)
      for (name, local) in branches {
        try Self.requireReferenceName(name)
        try Self.requireReferenceName(local)
      }
      let existing = branches.filter { references[$0.key] != nil }
      // A reference is set only after its history has arrived, so nothing is missing if it names the remote's commit.
      // libgit2 would find that out too, but only after this function has looked at hundreds of commits for it. If the
      // cache has lost an object since, whoever reads the object reports that the cache is corrupt.
      var isCurrent = true
      for (name, local) in existing where try reference(local) != references[name] { isCurrent = false }
      if !isCurrent {
        try forgetUnsoundHistories()
        transfer.mayHaveReadCache = try hasReferences()
        try download(existing.keys.sorted(), remote, transfer)
        // A commit that was missing may be there now.
        rootFileHistories = [:]
      }
      for (name, local) in branches where try reference(local) != references[name] {
        try setReference(local, to: references[name])
      }
      return references
    }
  }
}

extension Repository {
  /// Removes references to histories with a commit that is at fault (see ``GitError/isFaultOfObject``). libgit2 reads
  /// the nearest commits of each reference, whatever their size, when it negotiates a fetch.
  private func forgetUnsoundHistories() throws(GitError) {
    for name in try referenceNames() {
      guard let tip = try reference(name) else { continue }
      var isSound = true
      var remaining = Self.negotiatedCommitCount
      try forEachCommit(in: tip) { (_, fault) throws(GitError) in
        isSound = fault == nil
        remaining -= 1
        return isSound && remaining > 0
      }
      if !isSound { try setReference(name, to: nil) }
    }
  }

  /// More commits than libgit2 names to a remote, 256, and their parents.
  private static let negotiatedCommitCount = 320

  private func transfer(
    _ url: RemoteURL, _ limits: TransferLimits, _ cancellation: Cancellation,
    progress: ((TransferProgress) -> Void)?
  ) -> Transfer {
    let connection = Connection(to: url, programs: programs, limits: limits, cancellation: cancellation)
    return Transfer(connection, progress: progress)
  }

  /// Connects to the remote of a transfer, calls `body` with libgit2's object for it, and closes the connection.
  private func withRemote<Value>(
    of transfer: Transfer, _ body: (borrowing LibGit2Object) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    // No child outlives the call, also after an error.
    defer { transfer.connection.closeNow() }
    let context = transfer.connection.remote.description
    var options = unsafe git_remote_create_options()
    try check(
      unsafe git_remote_create_options_init(&options, UInt32(GIT_REMOTE_CREATE_OPTIONS_VERSION)), context: context)
    unsafe options.repository = object.pointer
    unsafe options.flags =
      GIT_REMOTE_CREATE_SKIP_INSTEADOF.rawValue | GIT_REMOTE_CREATE_SKIP_DEFAULT_FETCHSPEC.rawValue
    // A placeholder: the connection has the real URL, so that libgit2 cannot redirect it.
    let remote = unsafe try LibGit2Object.create(context: context, git_remote_free) {
      unsafe git_remote_create_with_opts(&$0, "coffer://remote", &options)
    }
    // Some errors of the protocol record no text: that of an earlier error must not be reported for them.
    git_error_clear()
    var callbacks = unsafe try transfer.callbacks()
    let result = unsafe git_remote_connect(remote.pointer, GIT_DIRECTION_FETCH, &callbacks, nil, nil)
    guard result == 0 else { throw transfer.error(for: result) }
    // libgit2 stops at the end of the list.
    do throws(GitError) { try transfer.connection.finishResponse() } catch { throw transfer.explained(error) }
    // Nothing of the cache was read before, and nothing of it will be if it has no references. The caller replaces a
    // corrupt cache by an empty one, so a second error then shows that the remote is at fault.
    transfer.mayHaveReadCache = try hasReferences()
    let value = try body(remote)
    unsafe git_remote_disconnect(remote.pointer)
    transfer.connection.close(timeout: min(transfer.connection.limits.idleTimeout, .seconds(10)))
    extendLifetime(remote)
    return value
  }

  private func advertisedReferences(
    of remote: borrowing LibGit2Object, _ transfer: Transfer
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

  private func download(_ names: [String], _ remote: borrowing LibGit2Object, _ transfer: Transfer) throws(GitError) {
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

/// The progress of a fetch.
package struct TransferProgress: Sendable, Hashable {
  package let receivedObjects: Int
  package let totalObjects: Int
  package let receivedBytes: Int

  init(_ progress: git_indexer_progress) {
    receivedObjects = Int(progress.received_objects)
    totalObjects = Int(progress.total_objects)
    receivedBytes = progress.received_bytes
  }
}
