internal import CofferFormat
internal import CofferGit

/// The files of a branch, without those of the log, that this machine has not imported.
struct RemoteFiles {
  /// The slot of the first root.
  var rootSlot: ObjectID?
  var segments: [StreamID: [UInt64: ObjectID]] = [:]
  var checkpoints: [UInt32: ObjectID] = [:]
  var chunks: [UInt32: ObjectID] = [:]
  var opened: ObjectID?
  var closed: ObjectID?
}
