internal import CofferCrypto

/// A position in the membership log.
package struct LogPosition: Hashable, Coded {
  /// The number of the entry: 0 for the genesis, 1 for the first entry.
  package let sequence: UInt64
  package let hash: EntryHash

  package init(sequence: UInt64, hash: EntryHash) {
    self.sequence = sequence
    self.hash = hash
  }

  package func write(to writer: inout ByteWriter) {
    writer.u64(sequence)
    hash.write(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    sequence = try reader.place("log position")
    hash = EntryHash(try reader.bytes32("log position"))
  }
}

/// The position in a stream up to which a device has read.
package struct StreamPosition: Hashable, Coded {
  package let stream: StreamID
  /// The number of the segment, 0 for the first of a stream.
  package let number: UInt64
  package let hash: SegmentHash

  package init(stream: StreamID, number: UInt64, hash: SegmentHash) {
    self.stream = stream
    self.number = number
    self.hash = hash
  }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(stream.raw)
    writer.u64(number)
    writer.fixed(hash.raw)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    stream = StreamID(try reader.bytes16("stream"))
    number = try reader.place("number")
    hash = SegmentHash(try reader.bytes32("hash"))
  }
}

/// Where the versions of an item are: its access group and its identifier there. Both change when the item is moved, and the
/// identifier when its primary key changes.
package struct ItemAddress: Hashable, Comparable, Coded {
  package let group: GroupID
  package let item: ItemID

  package init(group: GroupID, item: ItemID) {
    self.group = group
    self.item = item
  }

  package func write(to writer: inout ByteWriter) {
    group.write(to: &writer)
    item.write(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = try GroupID(from: &reader)
    item = try ItemID(from: &reader)
  }

  package static func < (left: ItemAddress, right: ItemAddress) -> Bool {
    (left.group, left.item) < (right.group, right.item)
  }
}

/// Microseconds since 1970-01-01 00:00 UTC, by the writer's clock. Nothing but tie-breaks may depend on it.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The time one microsecond after this one, or this one if it is the last.
  package var next: Timestamp { Timestamp(microseconds: microseconds == .max ? .max : microseconds + 1) }

  /// The time one microsecond before this one, or this one if it is the first.
  package var previous: Timestamp { Timestamp(microseconds: microseconds == .min ? .min : microseconds - 1) }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
