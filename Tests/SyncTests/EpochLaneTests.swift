import CofferFormat
import CofferTestSupport
import Foundation
import Testing

/// Lanes with segments whose numbers the snapshot of an epoch covers: of a copy of the machine, or of itself.
@Suite struct EpochLaneTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws { machines = try EpochMachines() }

  private static let lane = "refs/heads/lane-\(String(repeating: "0", count: 32))"

  /// Returns a commit for a lane with the last segment of a stream.
  private func parked(_ stream: String, of commit: String) throws -> String {
    let files = try remote.git("ls-tree", "-r", "--name-only", commit).split(separator: "\n").map(String.init)
    let path = try #require(files.last { $0.hasPrefix("segments/\(stream)/") })
    let names = path.split(separator: "/").map(String.init)
    var (kind, object) = ("100644 blob", try remote.git("rev-parse", "\(commit):\(path)"))
    for name in names.reversed() {
      object = try Command.run(
        "sh", "-c", "printf '%s %s\\t%s\\n' \"$1\" \"$2\" \"$3\" | git mktree", "sh", kind, object, name,
        in: URL(fileURLWithPath: remote.path))
      kind = "040000 tree"
    }
    return try remote.git("commit-tree", "-m", "x", object)
  }

  @Test(arguments: [false, true])
  func `What the snapshot lacks of a lane arrives once, and the lane is deleted`(isCopy: Bool) throws {
    try desktop.set("before", "1")
    try machines.sync(desktop)
    let copy = try desktop.copied()
    try copy.set("copy", "2")
    try remote.refuseNextPush()
    #expect(try copy.run("coffer", "sync").exitCode == 7)
    try desktop.set("original", "2")
    try machines.sync(desktop)
    let (own, other) = (try desktop.lastOwnSegment(), try copy.lastOwnSegment())
    #expect(own.stream == other.stream && own.number == other.number && own.hash != other.hash)
    let parked = try parked("\(own.stream)", of: isCopy ? remote.kept() : "vault-1")
    try laptop.coffer("compact")
    try machines.sync(desktop)
    try remote.git("update-ref", Self.lane, parked)
    var expected = ["kept": "1", "changed": "old", "before": "1", "original": "2"]
    if isCopy { expected["copy"] = "2" }
    try machines.sync(laptop, desktop)
    try machines.expect(expected, on: laptop, desktop)
    let branches = try machines.branches()
    #expect(try branches.count == 1 && remote.git("for-each-ref", "refs/heads/lane-*").isEmpty)
    #expect(try machines.files(of: branches[0]).count { $0.hasPrefix("segments/") } == (isCopy ? 1 : 0))
    // The copy has it in a segment of its own that nobody else has.
    try copy.sync()
    try machines.sync(laptop, desktop)
    try machines.expect(expected.merging(["copy": "2"]) { $1 }, on: laptop, desktop, copy)
  }
}
