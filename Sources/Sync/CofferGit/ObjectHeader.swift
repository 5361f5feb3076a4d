internal import CGit2

/// The kind and the size of an object, which are read without its content.
///
/// A few bytes of a remote can inflate to gigabytes, so each object is checked before it is read.
struct ObjectHeader {
  let kind: git_object_t
  let byteCount: Int

  /// The largest directory, about 100,000 entries. A vault's directories have at most 64 files, or one entry per stream.
  static let maximumTreeByteCount = 8 << 20
  /// The largest commit. A vault's commits have less than 300 bytes; a host may add signatures.
  static let maximumCommitByteCount = 64 << 10

  static func read(
    _ id: ObjectID, in repository: borrowing LibGit2Object, context: String
  ) throws(GitError) -> ObjectHeader {
    let database = unsafe try LibGit2Object.create(context: context, git_odb_free) {
      [repository = repository.pointer] in
      unsafe git_repository_odb(&$0, repository)
    }
    defer { extendLifetime(database) }
    var raw = id.raw
    var byteCount = 0
    var kind = GIT_OBJECT_INVALID
    try check(unsafe git_odb_read_header(&byteCount, &kind, database.pointer, &raw), context: context)
    return ObjectHeader(kind: kind, byteCount: byteCount)
  }

  /// Throws `.otherKind` or `.tooLarge` unless the object is of a kind and not larger than a limit.
  func require(_ kind: git_object_t, maximumByteCount: Int, context: String) throws(GitError) {
    guard self.kind == kind else {
      let expected = kind == GIT_OBJECT_BLOB ? "the content of a file" : kind == GIT_OBJECT_TREE ? "a tree" : "a commit"
      throw GitError(.otherKind, "is not \(expected)", context: context)
    }
    guard byteCount <= maximumByteCount else {
      throw GitError(.tooLarge, "\(byteCount) bytes, and the limit is \(maximumByteCount)", context: context)
    }
  }
}
