internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferVault
internal import Logging

/// A branch with segments for which there was no room on the vault's branch, because many machines pushed at once. It
/// has one commit. Any machine that pushes puts its segments on the vault's branch, and then deletes it.
struct Lane: Hashable {
  private let random: Bytes16

  static let prefix = "refs/heads/lane-"

  private init(random: Bytes16) { self.random = random }

  /// Parses the full name of a branch. Returns nil for another one.
  init?(_ name: String) {
    guard name.hasPrefix(Self.prefix),
      let random = bytes(hexadecimal: name.dropFirst(Self.prefix.count)).flatMap({ Bytes16($0) })
    else { return nil }
    self.init(random: random)
    guard self.name == name else { return nil }
  }

  /// Returns a lane with a new name.
  static func random() -> Lane { Lane(random: Bytes16(Random.bytes(count: 16)) ?? .zero) }

  /// The full name.
  var name: String { Self.prefix + random.hex }

  /// The reference in the cache repository that has the branch for a moment.
  var cached: String { "refs/coffer/lane-\(random.hex)" }
}

/// The segments of a lane, and what became of them.
struct LaneContents {
  let lane: Lane
  let tip: ObjectID
  /// The files of the segments.
  var segments: [SegmentPlace: ObjectID] = [:]
  /// The segments of which nothing is left to do: they are certainly not valid, or their records are sent otherwise.
  var done: Set<SegmentPlace> = []
  /// Whether something in the lane could not be read or kept, and may be valid.
  var isUnread = false

  /// The number of a segment in its stream.
  struct SegmentPlace: Hashable, Comparable {
    let stream: StreamID
    let number: UInt64

    static func < (left: SegmentPlace, right: SegmentPlace) -> Bool {
      (left.stream, left.number) < (right.stream, right.number)
    }
  }
}

/// What a sync writes to lanes: it leaves its segments in one if there is no room on the vault's branch, and deletes
/// those whose segments are all on the vault's branch.
struct LaneExchange: SyncPart {
  let session: SyncSession

  /// Leaves the outgoing segments in a new lane, unless they are all in lanes. Returns false if something else than
  /// segments is to be pushed, or if the host refuses the lane.
  func park(_ outgoing: OutgoingObjects, besides lanes: [LaneContents]) throws(GitError) -> Bool {
    guard let segments = outgoing.laneSegments else { return false }
    let parked = lanes.reduce(into: Set<LaneContents.SegmentPlace>()) { $0.formUnion($1.segments.keys) }
    guard !segments.isSubset(of: parked) else { return true }
    let lane = Lane.random()
    let commit = try connection.repository.commit(adding: outgoing.files, onto: nil)
    switch try connection.push(commit, to: lane.name) {
    case .accepted: return true
    case .rejected(let reason):
      logger.debug("the host refuses a lane", metadata: ["reason": "\(reason)"])
      return false
    }
  }

  /// Deletes the lanes whose segments are all on the vault's branch. A host may refuse it: such a lane does no harm.
  /// `existing` are the commits of all lanes of the remote, and `folded` those that are known as folded.
  func remove(_ lanes: [LaneContents], of existing: Set<ObjectID>, remembered folded: RememberedTips) throws {
    if !lanes.isEmpty {
      logger.debug("deleting lanes", metadata: ["count": "\(lanes.count)"])
      let names = Dictionary(lanes.map { ($0.lane.name, $0.tip) }) { first, _ in first }
      do throws(GitError) {
        try connection.removeReferences(names)
      } catch {
        // The next machine that has something to push tries it again.
        guard !connection.cancellation.isCancelled else { throw error }
        return logger.debug("deleting lanes failed", metadata: ["error": "\(error.message)"])
      }
    }
    try folded.adding(lanes.map(\.tip), keeping: existing).save(over: folded, in: local.store)
  }
}

/// Imports the segments of lanes.
extension SegmentImport {
  /// The number of files of one lane that are read. An attacker with push access could create a lane with any number.
  private static let fileCount = 4_096

  /// Imports segments of lanes that are not on the vault's branch. They stay unpublished, so that this machine's next
  /// push puts them there.
  mutating func importLanes(_ tips: [Lane: ObjectID]) throws {
    var lanes: [LaneContents] = []
    for (lane, tip) in tips.sorted(by: { $0.key.name < $1.key.name }) { lanes.append(try contents(of: lane, tip)) }
    // A machine may have two lanes, of which the second one follows the first.
    let places = Set(lanes.flatMap(\.segments.keys)).sorted()
    for place in places {
      for index in lanes.indices {
        guard let blob = lanes[index].segments[place] else { continue }
        let isDone = try importLaneSegment(place, blob)
        if isDone == true { lanes[index].done.insert(place) }
        // That the vault's branch has another one at this place does not end the lane.
        if isDone == nil { lanes[index].isUnread = true }
      }
    }
    self.lanes = lanes
  }

  private mutating func contents(of lane: Lane, _ tip: ObjectID) throws -> LaneContents {
    var contents = LaneContents(lane: lane, tip: tip)
    if let fault = try repository.fault(of: tip) {
      reportUnsound("has a lane with a commit that cannot be read: \(fault.message)")
      contents.isUnread = fault.code == .unreadable
      return contents
    }
    let changes = try repository.changes(
      from: FileTree(), to: tip, maximumCount: Self.fileCount, descends: RemoteLayout.isFolder)
    for change in changes {
      if case .unreadable(let fault) = change.kind {
        reportUnsound("has a lane with a folder that cannot be read: \(fault.message)")
        if fault.code == .unreadable { contents.isUnread = true }
        continue
      }
      guard change.kind == .added, change.mode == .regular, change.folderOfUnusableName == nil,
        let blob = change.content, case .segment(let stream, let number)? = RemoteLayout.Place(change.path)
      else {
        reportUnsound("has a lane with a file that is no segment, which is ignored")
        continue
      }
      contents.segments[LaneContents.SegmentPlace(stream: stream, number: number)] = blob
    }
    return contents
  }

  /// Imports a segment. Returns whether nothing is left to do for it, although it is not on the vault's branch; nil if
  /// its lane has to stay, because it could not be read, or there is no space for all of its records.
  private mutating func importLaneSegment(_ place: LaneContents.SegmentPlace, _ blob: ObjectID) throws -> Bool? {
    let isCovered = isCovered(place.number, of: place.stream)
    let mine = try local.store.read { try $0.segment(place.stream, place.number) }
    do {
      let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
      if let mine, mine.envelope == bytes { return false }
      let (envelope, segment) = try openSegment(bytes, stream: place.stream, number: place.number)
      if isCovered {
        // A copy of the machine can have used the number. The snapshot has the records of one of the two.
        let records = segment.records.compactMap { try? Record(bytes: $0).hash }
        let hasAll = try local.store.read { reader in try records.allSatisfy { try reader.record($0) != nil } }
        if hasAll { return true }
        return try importRecords(of: segment, isStored: false, intoOutbox: true) { _ in } ? true : nil
      }
      guard let mine else {
        try importSegment(segment, envelope, as: nil)
        return false
      }
      if mine.position.hash == segment.position.hash { return false }
      // The vault's branch decides which segment has the number. Nothing is lost: this machine sends what it did not
      // have.
      try checkNotFinal(mine, replacedBy: segment)
      return try importRecords(of: segment, isStored: false, intoOutbox: true) { _ in } ? true : nil
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      reportUnsound(
        "has a segment \(place.number) of stream \(place.stream) in a lane that is not valid: \(fault.reason)")
      return try isFinal(fault) ? true : nil
    }
  }

  /// Returns the lanes of which every segment is on the vault's branch, or needs no place there.
  func foldedLanes() throws -> [LaneContents] {
    if lanes.isEmpty { return [] }
    return try local.store.read { reader in
      try lanes.filter { lane in
        try !lane.isUnread
          && lane.segments.keys.allSatisfy { place in
            try lane.done.contains(place) || reader.segment(place.stream, place.number)?.isPublished == true
          }
      }
    }
  }
}
