internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// A fold of the log in the store, which one author has verified.
struct StoredFold {
  /// A fold ends at the first place after a multiple of this number where no batch is incomplete. So all apps of a machine
  /// have the same one, and rarely write it; the entries after it take less time than the rest of opening a vault.
  static let interval: UInt64 = 256
  /// Folds that ended so many intervals earlier are deleted. Apps that were not used since then fold the log again.
  private static let keptIntervals: UInt64 = 8

  let key: FoldKey

  /// Returns the number from which on the first complete place is the end of the fold of a log; 0 for a short log.
  static func end(ofLogWith entryCount: UInt64) -> UInt64 { entryCount / interval * interval }

  /// Returns the fold that the author has verified; nil if there is none, or if another program has changed it. The caller
  /// must check that it ends in the log.
  func membership(of genesis: Genesis, in reader: borrowing some StoreAccess & ~Copyable) -> Membership? {
    guard let proof = try? reader.foldProof(of: key.author), proof == key.proof(of: proof.fold),
      let object = try? reader.fold(proof.fold), Hash.digest(object, domain: .fold) == proof.fold
    else { return nil }
    return try? FoldCoder.decode(object, by: CofferVersion.text, of: genesis)
  }

  /// Returns the bytes of a fold; nil if they are too many.
  static func object(of membership: Membership) -> [UInt8]? {
    // Most bytes are those of boxes. To encode a fold that is thrown away would slow each opening of a large vault.
    let boxCount = membership.groups.values.flatMap(\.generations).reduce(0) { $0 + $1.boxes.count }
    guard boxCount * boxByteCount <= Limits.foldByteCount,
      let object = FoldCoder.encode(membership, by: CofferVersion.text), object.count <= Limits.foldByteCount
    else { return nil }
    return object
  }

  /// A recipient and a sealed box of two keys.
  private static let boxByteCount = 16 + 4 + 112

  /// Writes a fold that the author has verified, in place of its earlier one.
  func write(_ object: [UInt8], endingAt end: UInt64, to writer: borrowing StoreWriter) throws {
    let kept = Self.keptIntervals * Self.interval
    try writer.insertFold(
      object, endingAt: end, key.proof(of: Hash.digest(object, domain: .fold)),
      keepingSince: end > kept ? end - kept : 0)
  }
}
