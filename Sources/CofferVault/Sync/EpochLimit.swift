/// The size from which on the epoch of a vault is large: an admin's machine then begins another one.
package struct EpochLimit: Hashable, Sendable {
  /// The size in bytes of the epoch's segments below which no machine begins another one.
  package let lowest: Int
  /// The size in bytes of the epoch's segments above which every admin's machine begins another one.
  ///
  /// Machines differ in the size, so that not all try it at once.
  package let highest: Int

  /// The size in bytes below which no epoch is large.
  package static let standardByteCount = 8 << 20

  /// The limit of an epoch.
  ///
  /// - Parameters:
  ///   - snapshotByteCount: The size in bytes of the snapshot with which the next epoch would begin.
  ///   - byteCount: The size in bytes below which no epoch is large.
  package init(snapshotByteCount: Int, atLeast byteCount: Int = standardByteCount) {
    let (fourfold, isTooLarge) = snapshotByteCount.multipliedReportingOverflow(by: 4)
    lowest = max(byteCount, isTooLarge ? .max : fourfold)
    highest = lowest.addingReportingOverflow(lowest / 4).overflow ? .max : lowest + lowest / 4
  }
}
