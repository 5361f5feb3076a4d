internal import CGit2

extension Repository {
  /// Builds a pack of objects, and passes its bytes on while it is built. Throws what `body` throws.
  func writePack(
    _ objects: Set<ObjectID>, to body: @escaping ([UInt8]) throws(GitError) -> Void
  ) throws(GitError) {
    let builder = unsafe try LibGit2Object.create(context: path, git_packbuilder_free) {
      [repository = object.pointer] in
      unsafe git_packbuilder_new(&$0, repository)
    }
    defer { extendLifetime(builder) }
    _ = unsafe git_packbuilder_set_threads(builder.pointer, 1)
    for id in objects {
      var raw = id.raw
      try check(unsafe git_packbuilder_insert(builder.pointer, &raw, nil), context: "object \(id)")
    }
    let output = PackOutput(body)
    let result = unsafe git_packbuilder_foreach(
      builder.pointer,
      { bytes, count, payload in
        guard let payload = unsafe payload else { return -1 }
        let output = unsafe Unmanaged<PackOutput>.fromOpaque(payload).takeUnretainedValue()
        return output.write(unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count)))
      }, Unmanaged.passUnretained(output).toOpaque())
    if let failure = output.failure { throw failure }
    try check(result, context: path)
  }

  /// Returns the commits, trees and blobs of a history that differ from those of the commits before it. The history
  /// ends at `known`, because whoever gets the objects has these.
  func newObjects(of commit: ObjectID, missingFrom known: Set<ObjectID>) throws(GitError) -> Set<ObjectID> {
    var objects: Set<ObjectID> = []
    var remaining = [commit]
    while let id = remaining.popLast() {
      guard !known.contains(id), objects.insert(id).inserted else { continue }
      let parents = try parents(of: id)
      // The tree of a parent is read only where the new one differs.
      let parentTree = try parents.first.map { id throws(GitError) in try rootTree(of: id) }
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

/// Where the bytes of a pack go.
private final class PackOutput {
  private let body: ([UInt8]) throws(GitError) -> Void
  /// What has ended the pack.
  private(set) var failure: GitError?

  init(_ body: @escaping ([UInt8]) throws(GitError) -> Void) { self.body = body }

  /// Returns the value by which a callback of libgit2 goes on or ends.
  func write(_ bytes: [UInt8]) -> Int32 {
    do throws(GitError) {
      try body(bytes)
      return 0
    } catch {
      failure = error
      return GIT_EUSER.rawValue
    }
  }
}
