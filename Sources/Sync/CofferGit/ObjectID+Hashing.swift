internal import CGit2

extension ObjectID {
  /// Returns the identifier of a file's content.
  package static func ofFile(_ content: [UInt8]) throws(GitError) -> ObjectID {
    try hash(content, as: GIT_OBJECT_BLOB)
  }

  static func hash(_ content: [UInt8], as kind: git_object_t) throws(GitError) -> ObjectID {
    try LibGit2.start()
    var id = git_oid()
    let result = unsafe content.withUnsafeBytes { unsafe git_odb_hash(&id, $0.baseAddress, $0.count, kind) }
    try check(result, context: "the identifier of an object")
    return ObjectID(id)
  }
}
