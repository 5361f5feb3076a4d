import CofferSystem
import CofferTestSupport
import Testing

/// The end of an epoch and the change to the next one.
extension KilledOperation {
  static let epochs = [compaction, move]

  private static let compaction = KilledOperation(
    testDescription: "a compact",
    points: transactionPoints.union([
      .remoteFetched, .pushSent, .candidatePushed, .epochClosed, .epochOpened, .chunkImported, .epochAdopted,
      .branchDeleted,
    ]), machine: \.laptop, arguments: { _ in ["compact"] }
  ) { machines in
    try machines.laptop.set("kept", "1")
    try machines.laptop.set("changed", "1")
    try machines.laptop.sync()
    try machines.laptop.set("changed", "2")
    try machines.laptop.sync()
    return ["kept": "1", "changed": "2"]
  } recover: { machines in
    try machines.laptop.coffer("compact")
    return [:]
  }

  private static let move = KilledOperation(
    testDescription: "a sync that follows an epoch",
    points: pushPoints.union([.segmentImported, .segmentSealed, .chunkImported, .epochAdopted]), machine: \.desktop,
    arguments: { _ in ["sync"] }
  ) { machines in
    try machines.laptop.set("kept", "1")
    try machines.laptop.sync()
    try machines.desktop.set("unsent", "2")
    try machines.laptop.coffer("compact", "--keep")
    return ["kept": "1", "unsent": "2"]
  } recover: { machines in
    try machines.desktop.sync()
    #expect(try machines.branch != "vault-1")
    return [:]
  }
}
