internal import CofferFormat
internal import CofferGit
internal import CofferStore

/// The branch of a later epoch that this machine has pushed as a whole. Until other machines have followed it, only this
/// machine's cache has it for certain.
struct EpochCandidate {
  let branch: EpochBranch
  let commit: ObjectID

  /// Reads the candidate from the settings; nil if there is none that is readable.
  static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> EpochCandidate? {
    guard let bytes = try access.setting(.epochCandidate) else { return nil }
    var reader = ByteReader(bytes, object: "setting of a branch")
    guard let epoch = try? reader.u32("epoch"), let tag = try? reader.u64("tag"),
      let branch = EpochBranch(epoch: epoch, tagged: tag),
      let commit = (try? reader.fixed(20, "commit")).flatMap({ ObjectID(bytes: $0) }), reader.remaining == 0
    else { return nil }
    return EpochCandidate(branch: branch, commit: commit)
  }

  /// Writes the candidate to the settings.
  func save(to writer: borrowing StoreWriter) throws {
    var bytes = ByteWriter()
    bytes.u32(branch.epoch)
    bytes.u64(branch.tag)
    bytes.fixed(commit.bytes)
    try writer.setSetting(.epochCandidate, bytes.bytes)
  }
}
