package import Foundation

/// A pack with objects that no git would write.
package struct ForgedPack {
  /// The greatest number of bytes that one instruction of a difference copies.
  package static let copy = 0xff_ffff

  private var objects: [UInt8] = []
  private var count: UInt32 = 0
  /// Where the last object begins, and its size.
  private var last = (offset: 0, size: 0)

  package init() {}

  /// Adds a file of zeros.
  package func zeros(_ size: Int) throws -> ForgedPack {
    try object(size: size, content: [UInt8](repeating: 0, count: size))
  }

  /// Adds a file that claims another size than it has.
  package func object(size: Int, content: [UInt8]) throws -> ForgedPack {
    try adding(header: Self.header(kind: 3, size: size), content, resultSize: size)
  }

  /// Adds an object that consists of copies of the beginning of the one before.
  package func delta(
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

  /// Adds a difference to the first object, which ends with a number, so that no two results are the same.
  package func deltaOfFirst(_ size: Int, number: Int) throws -> ForgedPack {
    let length = min(size, Self.copy)
    let content =
      Self.number(size) + Self.number(length + 4)
      + [0xf0, UInt8(length & 0xff), UInt8(length >> 8 & 0xff), UInt8(length >> 16), 4]
      + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    return try adding(
      header: Self.header(kind: 6, size: content.count) + Self.distance(objects.count), content, resultSize: length + 4,
      isCompressed: false)
  }

  /// Adds a difference to an object that is named by its hash, and has `baseSize` bytes.
  package func delta(
    toHash base: [UInt8], of baseSize: Int, copying copies: Int, inserting byte: UInt8
  ) throws -> ForgedPack {
    let length = min(baseSize, Self.copy)
    let instruction = [0xf0, UInt8(length & 0xff), UInt8(length >> 8 & 0xff), UInt8(length >> 16)]
    let result = copies * length + 1
    let content =
      Self.number(baseSize) + Self.number(result)
      + [[UInt8]](repeating: instruction, count: copies).flatMap { $0 } + [1, byte]
    return try adding(
      header: Self.header(kind: 7, size: content.count) + base, content, resultSize: result, isCompressed: false)
  }

  /// Returns a bundle of a backup with the pack, as if its references named objects of it.
  package func bundle() throws -> Data {
    let commit = String(repeating: "1a", count: 20)
    let header = "# v2 git bundle\n\(commit) refs/coffer/backup\n\(commit) refs/heads/vault-1\n\n"
    return Data(header.utf8) + Data(try bytes())
  }

  /// Returns the pack, with its hash.
  package func bytes(count: UInt32? = nil) throws -> [UInt8] {
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
