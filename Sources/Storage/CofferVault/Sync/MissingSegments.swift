package import CofferFormat
package import CofferStore

/// Stream positions that other machines have seen at the remote, and that this machine has not found there, or has
/// found with other contents. They are kept from sync to sync, so that they are reported until the host shows them.
package struct MissingSegments {
  private let setting: Setting
  private var farthest: [StreamID: SeenPosition] = [:]

  /// Reads the positions from a setting: `missingSegments`, or `differentSegments` for other contents. One that is not
  /// readable counts as empty: the next segments fill it again.
  package static func load(
    from access: borrowing some StoreAccess & ~Copyable, _ setting: Setting = .missingSegments
  ) throws -> MissingSegments {
    var missing = MissingSegments(setting: setting)
    for seen in try access.value(setting, as: [SeenPosition].self) ?? [] {
      missing.farthest[seen.position.stream] = seen
    }
    return missing
  }

  private init(setting: Setting) { self.setting = setting }

  /// In ascending order of stream.
  package var positions: [SeenPosition] { farthest.values.sorted { $0.position.stream < $1.position.stream } }

  /// The number of segments that this machine lacks until these positions: at least one for each.
  package func count(in access: borrowing some StoreAccess & ~Copyable) throws(StoreError) -> Int {
    var count = 0
    for seen in farthest.values {
      let held = try access.streamHead(of: seen.position.stream)?.position.number
      // Segments have numbers from 0. A host that goes back shows positions that this machine has been at.
      let next = held ?? 0
      let ahead = seen.position.number > next ? Int(clamping: seen.position.number - next) : held == nil ? 0 : 1
      let number = min(ahead, .max - 1) + (held == nil ? 1 : 0)
      count = min(count, .max - number) + number
    }
    return count
  }

  /// Adds a position. Positions in more streams than one segment can name are ignored: only a machine that invents
  /// streams needs them.
  package mutating func insert(_ seen: SeenPosition) {
    let stream = seen.position.stream
    if let known = farthest[stream] {
      guard known.position.number < seen.position.number else { return }
    } else {
      guard farthest.count < Limits.seenStreams else { return }
    }
    farthest[stream] = seen
  }

  /// Removes the position of a stream if a machine has read the stream as far or farther since.
  package mutating func remove(upTo position: StreamPosition, by reader: DeviceID) {
    guard let known = farthest[position.stream], known.reader == reader, known.position.number <= position.number
    else { return }
    farthest[position.stream] = nil
  }

  /// Removes a position that this machine has by now.
  package mutating func remove(_ seen: SeenPosition) { farthest[seen.position.stream] = nil }

  /// Writes the positions to the settings.
  package func save(to writer: borrowing StoreWriter) throws {
    try writer.set(setting, to: positions)
  }
}

/// How far another machine has read a stream at the remote.
package struct SeenPosition: Hashable, Fielded {
  package let position: StreamPosition
  /// The machine that has seen it.
  package let reader: DeviceID

  package init(position: StreamPosition, reader: DeviceID) {
    self.position = position
    self.reader = reader
  }

  package init(_ known: SeenPosition?, _ coder: inout FieldCoder) throws(FormatError) {
    position = try StreamPosition(known?.position, &coder)
    reader = try coder.id(known?.reader, "identifier")
  }
}

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
