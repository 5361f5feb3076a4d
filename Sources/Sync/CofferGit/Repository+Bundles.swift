internal import CGit2

/// A repository in one file, which git reads too: a git bundle of version 2.
extension Repository {
  /// Writes commits with their histories, and passes the bundle's bytes on while it is made. Throws what `body` throws.
  package func writeBundle(
    _ references: [(name: String, commit: ObjectID)],
    to body: @escaping ([UInt8]) throws(GitError) -> Void
  ) throws(GitError) {
    var objects: Set<ObjectID> = []
    for (name, commit) in references {
      try Self.requireReferenceName(name)
      objects.formUnion(try newObjects(of: commit, missingFrom: objects))
    }
    try body(BundleHeader.bytes(references))
    try writePack(objects, to: body)
  }

  /// Whether bytes are the beginning of a bundle with a reference.
  package static func isBundle(_ beginning: [UInt8], with reference: String) -> Bool {
    (try? BundleHeader.read(beginning, context: ""))?.header.references[reference] != nil
  }

  /// Stores the objects of a bundle, and returns its references, of which none is set. `next` returns the next bytes of
  /// the bundle, none at its end. `progress` is called while objects are read.
  ///
  /// Every object is hashed, and the pack is compared with its checksum. Whether an object is missing shows when it is
  /// read. Throws `.rejected` for anything else than a bundle that stands alone, `.tooLarge` for one that exceeds the
  /// limits, before libgit2 sees the object at fault, and `.corrupt` if it is damaged.
  package func readBundle(
    limits: TransferLimits = TransferLimits(), progress: ((TransferProgress) -> Void)? = nil,
    _ next: () throws(GitError) -> [UInt8]
  ) throws(GitError) -> [String: ObjectID] {
    var received: [UInt8] = []
    var total = 0
    func read() throws(GitError) -> [UInt8] {
      let bytes = try next()
      total += bytes.count
      guard total <= limits.maximumBytes else {
        throw GitError(.tooLarge, "it has more than \(limits.maximumBytes) bytes", context: path)
      }
      return bytes
    }
    while true {
      if let (header, byteCount) = try BundleHeader.read(received, context: path) {
        try index(received[byteCount...], limits, progress, read)
        return header.references
      }
      let bytes = try read()
      guard !bytes.isEmpty else { throw GitError(.corrupt, "it ends within its header", context: path) }
      received += bytes
    }
  }

  /// Stores the objects of a pack, of which the beginning was read before.
  private func index(
    _ beginning: ArraySlice<UInt8>, _ limits: TransferLimits, _ progress: ((TransferProgress) -> Void)?,
    _ next: () throws(GitError) -> [UInt8]
  ) throws(GitError) {
    var options = unsafe git_indexer_options()
    try check(
      unsafe git_indexer_options_init(&options, UInt32(GIT_INDEXER_OPTIONS_VERSION)), context: path)
    // Not with the option `verify`: libgit2 1.5 then keeps each object in a buffer, and reads beyond its end if that
    // could not grow. Without it, every path that takes memory for an object ends if there is none.
    unsafe options.verify = 0
    let measure = try PackMeasure(limits: limits, context: path)
    let indexer = unsafe try LibGit2Object.create(context: path, git_indexer_free) {
      unsafe git_indexer_new(&$0, path + "/objects/pack", 0o600, nil, &options)
    }
    defer { extendLifetime(indexer) }
    var statistics = git_indexer_progress()
    var bytes = beginning
    while true {
      if !bytes.isEmpty {
        try measure.measure(bytes)
        git_error_clear()
        let result = unsafe bytes.withUnsafeBytes { buffer in
          unsafe git_indexer_append(indexer.pointer, buffer.baseAddress, buffer.count, &statistics)
        }
        try Self.checkPack(result, context: path)
        progress?(TransferProgress(statistics))
      }
      bytes = try next()[...]
      if bytes.isEmpty { break }
    }
    git_error_clear()
    try Self.checkPack(unsafe git_indexer_commit(indexer.pointer, &statistics), context: path)
  }

  /// Throws if a call of libgit2 has failed: as `.corrupt`, unless it is the disk's fault or that of an object that is
  /// too large.
  private static func checkPack(_ result: Int32, context: String) throws(GitError) {
    guard result < 0 else { return }
    let error = GitError.libgit2(result, context: context, isOfRemote: true)
    switch error.code {
    case .diskFull, .permissionDenied, .tooLarge: throw error
    default: throw GitError(.corrupt, error.message, context: context)
    }
  }
}

/// The text at the beginning of a git bundle of version 2: which commits are in it, by the names of their references.
struct BundleHeader {
  static let signature = "# v2 git bundle\n"
  /// A bundle of Coffer has two references. One of git may have as many as a repository.
  static let maximumByteCount = 1 << 20

  let references: [String: ObjectID]

  /// The header's bytes, for references in this order.
  static func bytes(_ references: [(name: String, commit: ObjectID)]) -> [UInt8] {
    Array((signature + references.map { "\($0.commit) \($0.name)\n" }.joined() + "\n").utf8)
  }

  /// Reads the header at the beginning of a bundle. Returns nil if more bytes are needed, and otherwise also the number
  /// of its bytes. Throws `.rejected` for anything else than a bundle that stands alone.
  static func read(_ bytes: [UInt8], context: String) throws(GitError) -> (header: BundleHeader, byteCount: Int)? {
    let signature = Array(signature.utf8)
    guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
      throw GitError(.rejected, "it is no git bundle of version 2", context: context)
    }
    var references: [String: ObjectID] = [:]
    var start = signature.count
    while start < bytes.count, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = bytes[start..<end]
      start = end + 1
      if line.isEmpty { return (BundleHeader(references: references), start) }
      guard line.first != UInt8(ascii: "-") else {
        throw GitError(.rejected, "it needs commits that are not in it", context: context)
      }
      guard let (name, commit) = reference(line) else {
        throw GitError(.rejected, "a line of its header is malformed", context: context)
      }
      guard references.updateValue(commit, forKey: name) == nil else {
        throw GitError(.rejected, "its header names a reference twice", context: context)
      }
    }
    guard bytes.count < maximumByteCount else {
      throw GitError(.tooLarge, "its header is longer than \(maximumByteCount) bytes", context: context)
    }
    return nil
  }

  /// Reads a line: 40 lower-case hexadecimal digits, a space and the name of a reference.
  private static func reference(_ line: ArraySlice<UInt8>) -> (name: String, commit: ObjectID)? {
    guard line.count > 41, line[line.startIndex + 40] == UInt8(ascii: " "),
      let name = String(validating: line.dropFirst(41), as: UTF8.self), name.hasPrefix("refs/"),
      let commit = ObjectID(hexadecimal: line.prefix(40)), line.prefix(40).elementsEqual(commit.description.utf8)
    else { return nil }
    return (name, commit)
  }
}
