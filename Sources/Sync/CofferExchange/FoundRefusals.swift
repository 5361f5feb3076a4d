internal import CofferFormat
internal import CofferGit
internal import CofferTrust
internal import CofferVault

/// What an import has found refused.
struct FoundRefusals {
  /// The number of refused records.
  var records: [UnadmittedRecords.Entry: Int] = [:]
  /// The number of refused records of each machine that are not kept, because there was no space.
  var droppedCounts: [DeviceID: Int] = [:]
  /// The files of segments that are refused for good.
  var files: Set<ObjectID> = []
}
