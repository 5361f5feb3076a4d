internal import CofferCrypto

/// A position in the membership log.
package struct LogPosition: Hashable, Fielded {
  /// The number of the entry: 0 for the genesis, 1 for the first entry.
  package let sequence: UInt64
  package let hash: EntryHash

  package init(sequence: UInt64, hash: EntryHash) {
    self.sequence = sequence
    self.hash = hash
  }

  package init(_ known: LogPosition?, _ coder: inout FieldCoder) throws(FormatError) {
    sequence = try coder.place(known?.sequence, "log position")
    hash = try coder.hash(known?.hash, "log position")
  }
}

/// The position in a stream up to which a device has read.
package struct StreamPosition: Hashable, Fielded {
  package let stream: StreamID
  /// The number of the segment, 0 for the first of a stream.
  package let number: UInt64
  package let hash: SegmentHash

  package init(stream: StreamID, number: UInt64, hash: SegmentHash) {
    self.stream = stream
    self.number = number
    self.hash = hash
  }

  package init(_ known: StreamPosition?, _ coder: inout FieldCoder) throws(FormatError) {
    stream = try coder.id(known?.stream, "stream")
    number = try coder.place(known?.number, "number")
    hash = try coder.hash(known?.hash, "hash")
  }
}

/// Where the versions of an item are: its access group and its identifier there. Both change when the item is moved,
/// and the identifier when its primary key changes.
package struct ItemAddress: Hashable, Comparable, Fielded {
  package let group: GroupID
  package let item: ItemID

  package init(group: GroupID, item: ItemID) {
    self.group = group
    self.item = item
  }

  package init(_ known: ItemAddress?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "identifier")
    item = try coder.id(known?.item, "identifier")
  }

  package static func < (left: ItemAddress, right: ItemAddress) -> Bool {
    (left.group, left.item) < (right.group, right.item)
  }
}

/// Microseconds since 1970-01-01 00:00 UTC, by the writer's clock. Nothing but tie-breaks may depend on it.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
  package let microseconds: Int64
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The time one microsecond after this one, or this one if it is the last.
  package var next: Timestamp { Timestamp(microseconds: microseconds == .max ? .max : microseconds + 1) }

  /// The time one microsecond before this one, or this one if it is the first.
  package var previous: Timestamp { Timestamp(microseconds: microseconds == .min ? .min : microseconds - 1) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
