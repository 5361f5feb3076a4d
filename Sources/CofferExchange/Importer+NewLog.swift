internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

extension Importer {
  /// The maximum size of a membership log that is imported into memory.
  private static let newLogByteCount = 256 << 20

  /// Imports the log into a store that has nothing of it, with one fold and in one transaction: ``importLog()`` verifies
  /// each entry against a copy of the membership. It is left to that function to report what is not valid.
  ///
  /// - Parameter tip: The commit of the remote's branch.
  /// - Throws: ``VaultError``: `integrity` for a log that is too large; the errors of git and of the store that are not the
  ///   remote's fault.
  mutating func importNewLog(at tip: ObjectID) throws {
    var membership = try local.membership()
    var found: [(candidate: Candidate, file: ObjectID)] = []
    var byteCount = 0
    do {
      while membership.head.sequence < Limits.position {
        let sequence = membership.head.sequence + 1
        guard
          let bytes = try repository.blob(
            at: RemoteLayout.path(ofLogEntry: sequence), in: tip, maximumByteCount: Limits.logEnvelopeByteCount)
        else { break }
        byteCount += bytes.count
        guard byteCount <= Self.newLogByteCount else {
          throw VaultError(.integrity, "the membership log at \(url) has more than \(Self.newLogByteCount >> 20) MiB")
        }
        let candidate = try open(bytes, at: sequence)
        try membership.apply(candidate.entry)
        try candidate.checkWrap(in: membership)
        if candidate.isFresh { try add(candidate.key) }
        found.append((candidate, try ObjectID.ofFile(bytes)))
      }
    } catch {
      guard UnsoundObject(error) != nil else { throw error }
    }
    try local.store.write { writer in
      for (candidate, file) in found {
        try writer.appendLogEntry(
          sequence: candidate.entry.sequence, entry: candidate.entry.bytes, envelope: candidate.envelope.bytes,
          published: file.bytes)
      }
    }
    report.membershipReceived += found.count
  }
}
