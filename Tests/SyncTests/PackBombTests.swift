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

  @Test(arguments: [ServedMachines.Transport.path, .http], Bomb.all)
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

/// A pack with objects that no git would write.
private struct ForgedPack {
  /// The greatest number of bytes that one instruction of a difference copies.
  static let copy = 0xff_ffff

  private var objects: [UInt8] = []
  private var count: UInt32 = 0
  /// Where the last object begins, and its size.
  private var last = (offset: 0, size: 0)

  /// Adds a file of zeros.
  func zeros(_ size: Int) throws -> ForgedPack { try object(size: size, content: [UInt8](repeating: 0, count: size)) }

  /// Adds a file that claims another size than it has.
  func object(size: Int, content: [UInt8]) throws -> ForgedPack {
    try adding(header: Self.header(kind: 3, size: size), content, resultSize: size)
  }

  /// Adds an object that consists of copies of the beginning of the one before.
  func delta(
    copying copies: Int, claiming size: Int? = nil, basedOn distance: Int? = nil, isCompressed: Bool = true
  ) throws -> ForgedPack {
    let length = min(last.size, Self.copy)
    let result = size ?? copies * length
    let instruction = [0xf0, UInt8(length & 0xff), UInt8(length >> 8 & 0xff), UInt8(length >> 16)]
    let content =
      Self.number(last.size) + Self.number(result) + [[UInt8]](repeating: instruction, count: copies).flatMap { $0 }
    let offset = distance ?? 12 + objects.count - last.offset
    return try adding(
      header: Self.header(kind: 6, size: content.count) + Self.distance(offset), content, resultSize: result,
      isCompressed: isCompressed)
  }

  /// Returns the pack, with its hash.
  func bytes(count: UInt32? = nil) throws -> [UInt8] {
    var pack = Array("PACK".utf8) + [0, 0, 0, 2]
    let count = count ?? self.count
    pack += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + objects
    return pack + (try Self.python("import hashlib; w(hashlib.sha1(r()).digest())", pack))
  }

  private func adding(
    header: [UInt8], _ content: [UInt8], resultSize: Int, isCompressed: Bool = true
  ) throws -> ForgedPack {
    var pack = self
    pack.last = (12 + objects.count, resultSize)
    let compressed =
      isCompressed ? try Self.python("import zlib; w(zlib.compress(r(), 9))", content) : Self.stored(content)
    pack.objects += header + compressed
    pack.count += 1
    return pack
  }

  private static func header(kind: UInt8, size: Int) -> [UInt8] {
    var rest = size >> 4
    var bytes = [kind << 4 | UInt8(size & 15)]
    while rest > 0 {
      bytes[bytes.count - 1] |= 0x80
      bytes.append(UInt8(rest & 0x7f))
      rest >>= 7
    }
    return bytes
  }

  /// Returns the form of zlib without compression, for at most 65,535 bytes.
  private static func stored(_ content: [UInt8]) -> [UInt8] {
    let count = [UInt8(content.count & 0xff), UInt8(content.count >> 8)]
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in content {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let sum = [b >> 8, b, a >> 8, a].map { UInt8(truncatingIfNeeded: $0) }
    return [0x78, 0x01, 0x01] + count + count.map { ~$0 } + content + sum
  }

  private static func number(_ value: Int) -> [UInt8] {
    var rest = value >> 7
    var bytes = [UInt8(value & 0x7f)]
    while rest > 0 {
      bytes[bytes.count - 1] |= 0x80
      bytes.append(UInt8(rest & 0x7f))
      rest >>= 7
    }
    return bytes
  }

  private static func distance(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 0x7f)]
    var rest = value >> 7
    while rest > 0 {
      rest -= 1
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  private static func python(_ script: String, _ input: [UInt8]) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let (source, result) = (directory.path("source"), directory.path("result"))
    try Data(input).write(to: URL(fileURLWithPath: source))
    try Command.run(
      "python3", "-c",
      "import sys; r = open(sys.argv[1], 'rb').read; w = open(sys.argv[2], 'wb').write; \(script)", source, result)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: result)))
  }
}
