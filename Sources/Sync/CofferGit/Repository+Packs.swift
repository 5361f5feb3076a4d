internal import CGit2
internal import CofferPlatform
internal import CofferZlib
internal import Crypto

/// Writes objects in the forms of git that take the least time: libgit2 would look for similar parts of files, and
/// compress them, which takes most of the time of a large push. Sealed files have no similar parts, and do not become
/// smaller.
extension Repository {
  /// Builds a pack of objects, and passes its bytes on while it is built. Throws what `body` throws.
  func writePack(
    _ objects: Set<ObjectID>, to body: ([UInt8]) throws(GitError) -> Void
  ) throws(GitError) {
    let database = unsafe try LibGit2Object.create(context: path, git_odb_free) {
      [repository = object.pointer] in unsafe git_repository_odb(&$0, repository)
    }
    defer { extendLifetime(database) }
    // By which git names objects, and ends a pack.
    var hash = Insecure.SHA1()
    func write(_ bytes: [UInt8]) throws(GitError) {
      hash.update(data: bytes)
      try body(bytes)
    }
    // The version of the format is 2.
    let count = (0..<4).map { UInt8(truncatingIfNeeded: objects.count >> (24 - 8 * $0)) }
    try write(Array("PACK".utf8) + [0, 0, 0, 2] + count)
    for id in objects {
      let context = "object \(id)"
      var raw = id.raw
      let content = unsafe try LibGit2Object.create(context: context, git_odb_object_free) {
        [database = database.pointer] in unsafe git_odb_read(&$0, database, &raw)
      }
      let bytes = unsafe UnsafeRawBufferPointer(
        start: git_odb_object_data(content.pointer), count: git_odb_object_size(content.pointer))
      let kind = unsafe git_odb_object_type(content.pointer)
      let packed = unsafe Deflation.pack(bytes, isStored: kind == GIT_OBJECT_BLOB)
      extendLifetime(content)
      guard let packed else { throw .system(ENOMEM, "cannot pack it", context: context) }
      try write(Self.packHeader(UInt8(kind.rawValue), byteCount: bytes.count))
      try write(packed)
    }
    try body(Array(hash.finalize()))
  }

  /// Returns the kind and the size of an object, as they precede it in a pack: seven bits in each byte but the first,
  /// the lowest first.
  private static func packHeader(_ kind: UInt8, byteCount: Int) -> [UInt8] {
    var bytes = [kind << 4 | UInt8(byteCount & 15)]
    var rest = byteCount >> 4
    while rest > 0 {
      bytes[bytes.count - 1] |= 0x80
      bytes.append(UInt8(rest & 0x7f))
      rest >>= 7
    }
    return bytes
  }

  /// Writes the content of a large file.
  func writeStoredBlob(_ bytes: [UInt8]) throws(GitError) -> ObjectID {
    let id = try ObjectID.ofFile(bytes)
    let content = Array("blob \(bytes.count)\0".utf8) + bytes
    guard let packed = unsafe content.withUnsafeBytes({ unsafe Deflation.pack($0, isStored: true) }) else {
      throw .system(ENOMEM, "cannot pack it", context: "object \(id)")
    }
    try RepositoryFolder(path: path).writeObject(packed, as: id)
    return id
  }
}
