internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferVault

/// Imports the segments of lanes.
extension Importer {
  /// The number of files of one lane that are read. An attacker with push access could create a lane with any number.
  private static let fileCount = 4_096

  /// Imports segments of lanes that are not on the vault's branch. They stay unpublished, so that this machine's next push
  /// puts them there.
  mutating func importLanes(_ tips: [Lane: ObjectID]) throws {
    var lanes: [LaneContents] = []
    for (lane, tip) in tips.sorted(by: { $0.key.name < $1.key.name }) { lanes.append(try contents(of: lane, tip)) }
    // A machine may have two lanes, of which the second one follows the first.
    let places = Set(lanes.flatMap(\.segments.keys)).sorted()
    for place in places {
      for index in lanes.indices {
        guard let blob = lanes[index].segments[place] else { continue }
        if try importLaneSegment(place, blob) { lanes[index].settled.insert(place) }
      }
    }
    self.lanes = lanes
  }

  private mutating func contents(of lane: Lane, _ tip: ObjectID) throws -> LaneContents {
    var contents = LaneContents(lane: lane, tip: tip)
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

  /// Imports a segment. Returns whether nothing is left to do for it, although it is not on the vault's branch.
  private mutating func importLaneSegment(_ place: LaneContents.SegmentPlace, _ blob: ObjectID) throws -> Bool {
    let isCovered = isCovered(place.number, of: place.stream)
    let mine = try local.store.read { try $0.segment(place.stream, place.number) }
    do {
      let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
      if let mine, mine.envelope == bytes { return false }
      let (envelope, segment) = try openSegment(bytes, stream: place.stream, number: place.number)
      if isCovered {
        // A copy of the machine can have used the number. The snapshot has the records of one of the two.
        let records = segment.records.compactMap { try? Record(bytes: $0).hash }
        let missing = try local.store.read { reader in try records.filter { try reader.record($0) == nil } }
        guard !missing.isEmpty else { return true }
        try importRecords(of: segment, isStored: false) { _ in }
        try local.store.write { try $0.addToOutbox(missing) }
        return true
      }
      guard let mine else {
        try importSegment(segment, envelope, as: nil)
        return false
      }
      if mine.position.hash == segment.position.hash { return false }
      // The vault's branch decides which segment has the number. Nothing is lost: this machine sends the other records.
      try importRecords(of: segment, isStored: false) { _ in }
      try local.store.write { try $0.addToOutbox(segment.records.compactMap { try? Record(bytes: $0).hash }) }
      return true
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      reportUnsound(
        "has a segment \(place.number) of stream \(place.stream) in a lane that is not valid: \(fault.reason)")
      return try isFinal(fault)
    }
  }

  /// Returns the lanes of which every segment is on the vault's branch, or needs no place there.
  func foldedLanes() throws -> [LaneContents] {
    if lanes.isEmpty { return [] }
    return try local.store.read { reader in
      try lanes.filter { lane in
        try !lane.isUnread
          && lane.segments.keys.allSatisfy { place in
            try lane.settled.contains(place) || reader.segment(place.stream, place.number)?.isPublished == true
          }
      }
    }
  }
}
