/// The sizes beyond which bytes are refused before they are looked at. FORMAT.md states each of them.
package enum Limits {
  /// The value of one item, before sealing.
  package static let valueByteCount = 16 << 20
  /// All attributes of one item together, before sealing.
  package static let attributesByteCount = 4 << 20
  /// One record: its signed part, sealed attributes and sealed value.
  package static let recordByteCount = 21 << 20
  /// What one segment's records may add up to before another segment is begun; a single larger record has one alone.
  package static let segmentPayloadByteCount = 4 << 20
  /// One file of the repository.
  package static let objectByteCount = 32 << 20
  /// The body of one log entry.
  package static let logEntryByteCount = 1 << 20
  /// One file of the repository that holds a log entry: a full body, as many boxes as there may be, and the padding.
  package static let logEnvelopeByteCount = 4 << 20
  /// Bases that one record names.
  package static let bases = 16
  /// Tokens of one record.
  package static let tokens = 64
  /// Records in one segment.
  package static let recordsPerSegment = 65_536
  /// Streams that one segment says it has seen.
  package static let seenStreams = 4_096
  /// All records together that a machine keeps while the log does not allow them.
  package static let pendingByteCount = 64 << 20
  /// Boxes in one log entry or envelope.
  package static let boxes = 16_384
  /// Attributes of one item.
  package static let attributes = 1_024
  /// Transport keys in a machine's file.
  package static let transportKeys = 4_096
  /// The greatest number of a log entry or segment: what comes after it still is a positive number of 64 bits.
  package static let position = UInt64(Int64.max) - 1
  /// A machine's name, in bytes.
  package static let deviceNameByteCount = 128
  /// An application identifier, bundle identifier or access group, in bytes.
  package static let identifierByteCount = 512
  /// An entitlements plist.
  package static let entitlementsByteCount = 64 << 10
}
