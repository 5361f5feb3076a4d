import Coffer
import CofferAdministration
import CofferTestSupport
import Foundation
import Testing

/// Packs of a few kilobytes that describe objects of gigabytes, or nonsense.
@Suite struct PackBombTests {
  /// A pack that a host makes up.
  struct Bomb: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What the error says.
    let words: String
    /// 6 if the pack can be read, and lacks what was asked for or has too much; 7 if it cannot.
    var exitCode: Int32 = 7
    let pack: @Sendable () throws -> [UInt8]

    static let all = [
      Bomb(
        testDescription: "a difference of 16 KB that makes 1.6 GB", words: "larger than this machine reads", exitCode: 6
      ) {
        try ForgedPack().zeros(ForgedPack.copy).delta(copying: 100).bytes()
      },
      Bomb(testDescription: "a chain of five thousand differences", words: "REF_DELTA") {
        var pack = try ForgedPack().zeros(100)
        for _ in 1...5_000 { pack = try pack.delta(copying: 1, isCompressed: false) }
        return try pack.bytes()
      },
      Bomb(testDescription: "an object whose size is a lie", words: "target OID", exitCode: 6) {
        try ForgedPack().object(size: 1 << 40, content: [UInt8](repeating: 0, count: 100)).bytes()
      },
      Bomb(testDescription: "a difference whose size is a lie", words: "") {
        try ForgedPack().zeros(1 << 10).delta(copying: 1, claiming: 1 << 40).bytes()
      },
      Bomb(testDescription: "a difference to nothing", words: "") {
        try ForgedPack().zeros(10).delta(copying: 1, basedOn: 1 << 40).bytes()
      },
      Bomb(testDescription: "a count of four billion objects", words: "") {
        try ForgedPack().zeros(10).bytes(count: .max)
      },
      Bomb(testDescription: "no object at all", words: "target OID", exitCode: 6) { try ForgedPack().bytes() },
      Bomb(testDescription: "garbage", words: "") { [UInt8](repeating: 0x5a, count: 100_000) },
    ]
  }

  @Test(arguments: TestRun.rows([ServedMachines.Transport.path, .http], Bomb.all, ordinarily: 4))
  func `A pack that a host makes up is an error within 256 MiB, and nothing changes`(
    _ transport: ServedMachines.Transport, _ bomb: Bomb
  ) throws {
    let machines = try ServedMachines(transport)
    let segments = try machines.segments()
    try machines.laptop.set("waiting", "here")
    // There is something to fetch.
    try machines.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "x")) }
    try machines.serve(pack: bomb.pack())
    // Only libgit2's own limit, and none of the system, gives the error its words.
    let sync = try machines.laptop.run(
      "coffer", "sync", wrapper: ["sh", "-c", "ulimit -d 1048576 && exec \"$@\"", "sh"])
    #expect(sync.exitCode == bomb.exitCode && sync.errors.hasPrefix("coffer: "), "\(sync)")
    #expect(bomb.words.isEmpty || sync.errors.contains(bomb.words), "\(sync)")
    #expect(try machines.laptop.storedStatus().unsyncedChanges == 1)
    #expect(try machines.laptop.storedValues() == ["kept": "value", "waiting": "here"])
    try machines.heal()
    _ = try machines.laptop.run("coffer", "sync")
    try machines.expectSent(after: segments)
  }
}
