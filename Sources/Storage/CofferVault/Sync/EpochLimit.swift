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

  /// The limit of an epoch, from the size in bytes of the snapshot with which the next epoch would begin: of its
  /// current versions, and of what proves the superseded ones. Below `byteCount` bytes, no epoch is large.
  package init(_ snapshot: (current: Int, superseded: Int), atLeast byteCount: Int = standardByteCount) {
    let (fourfold, isTooLarge) = snapshot.current.multipliedReportingOverflow(by: 4)
    let (sum, isSumTooLarge) = fourfold.addingReportingOverflow(snapshot.superseded)
    lowest = max(byteCount, isTooLarge || isSumTooLarge ? .max : sum)
    highest = lowest.addingReportingOverflow(lowest / 4).overflow ? .max : lowest + lowest / 4
  }

  /// The size in bytes for one machine, from the lowest to the highest, by a byte that differs between machines.
  package func byteCount(forShare share: UInt8) -> Int { lowest + (highest - lowest) / 255 * Int(share) }
}
