internal import CofferFormat
internal import CofferGit

/// The segments of a lane, and what became of them.
struct LaneContents {
  let lane: Lane
  let tip: ObjectID
  /// The files of the segments.
  var segments: [SegmentPlace: ObjectID] = [:]
  /// The segments of which nothing is left to do: they are certainly not valid, or their records are sent otherwise.
  var settled: Set<SegmentPlace> = []
  /// Whether something in the lane could not be read and may be valid.
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
