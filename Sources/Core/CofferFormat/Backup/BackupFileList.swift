package import CofferCrypto

/// The files of a backup's branch, by their paths and the hashes of their contents. It is never written: a
/// ``BackupStatement`` has its hash.
package struct BackupFileList: Sendable {
  private var contents: [String: Bytes32] = [:]

  package init() {}

  /// The number of files.
  package var count: Int { contents.count }

  /// Adds a file, by its path in the branch.
  package mutating func add(_ path: String, _ bytes: [UInt8]) { contents[path] = Self.hash(of: bytes) }

  /// The hash of a file's content.
  package static func hash(of bytes: [UInt8]) -> Bytes32 { Hash.digest(bytes, domain: .backupFile) }

  /// The hash of the list, in ascending order of the bytes of the paths.
  package var hash: Bytes32 {
    var writer = ByteWriter(reserving: contents.count * 96)
    let sorted = contents.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    writer.list(sorted) { writer, file in
      writer.string(file.key)
      writer.fixed(file.value)
    }
    return Hash.digest(writer.bytes, domain: .backupFiles)
  }
}
