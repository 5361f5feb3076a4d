internal import CGit2
internal import CofferSystem

/// Pushes speak git's protocol themselves: libgit2 would read every directory of the remote's commits before it sends
/// one object, so that one odd object of the remote would prevent every push or fill the memory.
extension Repository {
  /// Sets a reference of a remote to a commit if the reference is new or names an ancestor of the commit. Never forces.
  ///
  /// The push contains the objects by which the commit and its new ancestors differ from the remote's history, and all
  /// files that `commit` wrote, also those that the remote should have already. It reads no other object.
  package func push(
    _ commit: ObjectID, to remoteReference: String, mayCreate: Bool = true, at url: RemoteURL,
    limits: TransferLimits = TransferLimits(),
    cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> PushOutcome {
    try Self.requireReferenceName(remoteReference)
    _ = try lookUpCommit(commit)
    return try withReceivePack(at: url, limits, cancellation, mayReadCache: true) {
      (transfer, packets, references) throws(GitError) in
      try push(commit, to: remoteReference, mayCreate: mayCreate, over: references, &packets, transfer)
    }
  }

  /// Connects to the program that receives pushes at a remote, and calls `body` with the references of the remote.
  private func withReceivePack<Value>(
    at url: RemoteURL, _ limits: TransferLimits, _ cancellation: Cancellation, mayReadCache: Bool = false,
    _ body: (Transfer, inout PacketStream, [String: ObjectID]) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    let connection = Connection(to: url, programs: programs, limits: limits, cancellation: cancellation)
    connection.keepsPack = writtenByteCount >= Self.keptPackByteCount
    // No child outlives the call, also after an error.
    defer { connection.closeNow() }
    let transfer = Transfer(connection)
    transfer.mayHaveReadCache = mayReadCache
    do throws(GitError) {
      try connection.open(.receivePack)
      var packets = PacketStream(connection)
      let references = try packets.readReferences()
      return try body(transfer, &packets, references)
    } catch {
      throw transfer.explained(error)
    }
  }

  /// The size of the files of a push from which on a repository on this machine keeps the pack.
  private static let keptPackByteCount = 4 << 20

  /// Reads the answer of the remote, which may still run hooks, and closes the connection.
  private func finish(
    _ names: Set<String>, _ packets: inout PacketStream, _ connection: Connection
  ) throws(GitError) -> [String: String?] {
    let statuses = try packets.readStatuses(of: names)
    connection.close(timeout: min(connection.limits.idleTimeout, .seconds(10)))
    return statuses
  }

  /// What the protocol names in place of a commit that does not exist.
  private static let absent = String(repeating: "0", count: 40)

  /// Deletes a reference of a remote. One that does not exist is no error. Throws if the remote could not be asked or
  /// did not answer.
  package func removeReference(
    _ name: String, at url: RemoteURL, limits: TransferLimits = TransferLimits(),
    cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> PushOutcome {
    try Self.requireReferenceName(name)
    let statuses = try removeReferences(at: url, limits, cancellation) { $0.filter { $0.key == name } }
    guard case .some(.some(let reason)) = statuses[name] else { return .accepted }
    return .rejected(reason: reason.asTerminalLine)
  }

  /// Deletes references of a remote, by their full names, that name the expected commits. Those that name others, or do
  /// not exist, are left out, and so are those that the remote refuses to delete. Throws if the remote could not be
  /// asked or did not answer.
  package func removeReferences(
    _ expected: [String: ObjectID], at url: RemoteURL, limits: TransferLimits = TransferLimits(),
    cancellation: Cancellation = Cancellation()
  ) throws(GitError) {
    for name in expected.keys { try Self.requireReferenceName(name) }
    _ = try removeReferences(at: url, limits, cancellation) { $0.filter { expected[$0.key] == $0.value } }
  }

  /// Deletes references of a remote. The remote deletes one only if it still names the commit that it has advertised.
  /// `selecting` receives the remote's references, and returns those to delete. Returns for each of them nil if the
  /// remote deleted it, or its reason.
  private func removeReferences(
    at url: RemoteURL, _ limits: TransferLimits, _ cancellation: Cancellation,
    selecting: ([String: ObjectID]) -> [String: ObjectID]
  ) throws(GitError) -> [String: String?] {
    try withReceivePack(at: url, limits, cancellation) { (transfer, packets, references) throws(GitError) in
      let removed = selecting(references).sorted { $0.key < $1.key }
      guard !removed.isEmpty else {
        try packets.takeLeave()
        return [:]
      }
      try transfer.connection.beginRequest(to: .receivePack)
      for (index, (name, old)) in removed.enumerated() {
        let capabilities = index == 0 ? "\0report-status delete-refs\(packets.sideBand)" : ""
        try packets.write("\(old) \(Self.absent) \(name)\(capabilities)\n")
      }
      try packets.writeEnd()
      return try finish(Set(removed.map(\.key)), &packets, transfer.connection)
    }
  }

  private func push(
    _ commit: ObjectID, to name: String, mayCreate: Bool, over references: [String: ObjectID],
    _ packets: inout PacketStream, _ transfer: Transfer
  ) throws(GitError) -> PushOutcome {
    let old = references[name]
    if old == commit {
      try packets.takeLeave()
      return .accepted
    }
    if old == nil, !mayCreate {
      try packets.takeLeave()
      return .rejected(reason: "the remote has deleted the branch")
    }
    if let old, try !isAncestor(old, of: commit) {
      try packets.takeLeave()
      return .rejected(reason: "the remote has commits that are not in this history")
    }
    let connection = transfer.connection
    let objects = try newObjects(of: commit, missingFrom: Set(references.values)).union(writtenBlobs)
    try connection.beginRequest(to: .receivePack)
    try packets.write("\(old?.description ?? Self.absent) \(commit) \(name)\0report-status\(packets.sideBand)\n")
    try packets.writeEnd()
    let cut = try sendPack(objects, over: connection)
    FaultPoint.reached(.pushSent)
    guard let status = try finish([name], &packets, connection)[name] ?? nil else {
      if let cut { throw cut }
      forgetWrittenBlobs()
      return .accepted
    }
    let messages = transfer.messagesLine
    let reason = status.asTerminalLine
    return .rejected(reason: messages.isEmpty ? reason : "\(reason): \(messages)")
  }

  /// Sends a pack with objects. Returns the error if the remote stopped reading: one that refuses a push does not read
  /// the rest, and may have said why.
  private func sendPack(_ objects: Set<ObjectID>, over connection: Connection) throws(GitError) -> GitError? {
    var cut: GitError?
    do throws(GitError) {
      try writePack(objects) { (bytes) throws(GitError) in
        do throws(GitError) {
          try connection.write(bytes)
        } catch {
          // The connection records every other failure.
          if connection.failure == nil { cut = error }
          throw error
        }
      }
    } catch {
      guard cut != nil else { throw error }
    }
    return cut
  }
}

/// The result of a push that reached the remote.
package enum PushOutcome: Sendable, Hashable {
  /// The remote's reference names the pushed commit.
  case accepted
  /// The remote's reference did not move: another push came first, or the remote refused. The reason is for people to
  /// read.
  case rejected(reason: String)
}

extension Repository {
  /// Returns the commits, trees and blobs of a history that differ from those of the commits before it. The history
  /// ends at `known`, because whoever gets the objects has these.
  func newObjects(of commit: ObjectID, missingFrom known: Set<ObjectID>) throws(GitError) -> Set<ObjectID> {
    var objects: Set<ObjectID> = []
    var remaining = [commit]
    while let id = remaining.popLast() {
      guard !known.contains(id), objects.insert(id).inserted else { continue }
      let parents = try parents(of: id)
      // The tree of a parent is read only where the new one differs.
      var parentTree: ObjectID?
      if let parent = parents.first { parentTree = try soundRootTree(of: parent) }
      try insertNew(try rootTree(of: id), over: parentTree, into: &objects)
      remaining += parents
    }
    return objects
  }

  private func insertNew(
    _ new: ObjectID, over old: ObjectID?, into objects: inout Set<ObjectID>
  ) throws(GitError) {
    guard new != old, objects.insert(new).inserted else { return }
    let tree = try tree(new)
    var oldTree: Tree?
    if let old { oldTree = try soundTree(old) }
    for index in 0..<tree.count {
      guard let entry = tree[index] else { continue }
      let previous = oldTree?[entry.name]
      guard previous?.id != entry.id else { continue }
      switch entry.kind {
      case .directory:
        try insertNew(entry.id, over: previous?.kind == .directory ? previous?.id : nil, into: &objects)
      case .file(.regular), .file(.executable): objects.insert(entry.id)
      // A link, or the commit of a submodule, which no repository contains.
      case .file(.irregular): if try isBlob(entry.id) { objects.insert(entry.id) }
      }
    }
  }
}
