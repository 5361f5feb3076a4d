import CofferTestSupport
import Foundation
import Testing

/// A git host below git's own checks: it serves every object of a repository that exists, whatever misses or is odd.
struct OddHost {
  private let remote: TemporaryRemote
  private let directory: TemporaryDirectory
  /// The environment of a machine that talks to this host.
  let environment: [String: String]

  init(_ remote: TemporaryRemote) throws {
    self.remote = remote
    directory = try TemporaryDirectory()
    let git = try Command.run("sh", "-c", "command -v git")
    let pack = try directory.writeScript(
      "pack",
      """
      cat > /dev/null
      \(git) cat-file --batch-all-objects --batch-check='%(objectname)' | \(git) pack-objects --stdout -q
      """)
    try FileManager.default.createDirectory(atPath: directory.path("bin"), withIntermediateDirectories: false)
    // The memory limit of the machine's program does not apply to the host.
    try directory.writeScript(
      "bin/git",
      """
      ulimit -S -v unlimited
      if [ "$1" = upload-pack ]; then exec \(git) -c uploadpack.packObjectsHook=\(pack) "$@"; fi
      exec \(git) "$@"
      """)
    environment = [
      "PATH": directory.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    ]
  }

  /// Runs a program of a machine with at most 256 MiB of address space.
  static let limited = ["sh", "-c", "ulimit -S -v 262144; exec \"$@\"", "sh"]

  /// The size of an object for which that is not enough. It compresses to some megabytes.
  static let oddByteCount = 320 << 20

  /// An object that the host has lost.
  struct LostObject {
    fileprivate let file: String
    fileprivate let bytes: Data
  }

  /// Deletes the object of a path in a branch.
  func lose(_ path: String, of branch: String = "vault-1") throws -> LostObject {
    let id = try remote.git("rev-parse", "\(branch):\(path)")
    let file = "\(remote.path)/objects/\(id.prefix(2))/\(id.dropFirst(2))"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: file)
    return LostObject(file: file, bytes: bytes)
  }

  /// Restores an object.
  func restore(_ object: LostObject) throws { try object.bytes.write(to: URL(fileURLWithPath: object.file)) }

  /// Writes an object of any content, and returns its identifier.
  func write(_ type: String, _ content: Data) throws -> String {
    let path = directory.path("object")
    try content.write(to: URL(fileURLWithPath: path))
    return try remote.git("hash-object", "-t", type, "-w", "--literally", path)
  }

  /// Writes an object that begins with `beginning` and repeats a block, in a pack from which the host sends it as it
  /// is. git would compress all of it twice, which takes a minute for a gigabyte.
  func write(_ type: String, _ beginning: Data = Data(), repeating block: Data, count: Int) throws -> String {
    for (name, part) in [("beginning", beginning), ("block", block)] {
      try part.write(to: URL(fileURLWithPath: directory.path(name)))
    }
    return try Command.run(
      "python3", "-I", "-c", Self.packWriter, type, directory.path("beginning"), directory.path("block"), "\(count)",
      "\(remote.path)/objects/pack/pack-")
  }

  /// Writes a pack of one object with its index, and prints the object's identifier. Each block is compressed by
  /// itself, so that it is compressed once.
  private static let packWriter = """
    import hashlib, struct, sys, zlib
    kind, beginning, block, count, path = sys.argv[1:]
    beginning, block, count = open(beginning, "rb").read(), open(block, "rb").read(), int(count)
    size = len(beginning) + len(block) * count
    name, adler = hashlib.sha1(b"%s %d\\0" % (kind.encode(), size) + beginning), zlib.adler32(beginning)
    for _ in range(count): name.update(block); adler = zlib.adler32(block, adler)
    def compressed(data, flush):
        stream = zlib.compressobj(1, zlib.DEFLATED, -15)
        return stream.compress(data) + stream.flush(flush)
    head, rest = [("commit", "tree", "blob").index(kind) + 1 << 4 | size & 15], size >> 4
    while rest: head[-1] |= 128; head.append(rest & 127); rest >>= 7
    entry = bytes(head) + b"\\x78\\x01" + compressed(beginning, zlib.Z_FULL_FLUSH)
    entry += compressed(block, zlib.Z_FULL_FLUSH) * count + compressed(b"", zlib.Z_FINISH) + struct.pack(">I", adler)
    pack = b"PACK" + struct.pack(">II", 2, 1) + entry
    checksum = hashlib.sha1(pack).digest()
    index = b"\\xfftOc" + struct.pack(">I", 2) + b"".join(
        struct.pack(">I", first >= name.digest()[0]) for first in range(256))
    index += name.digest() + struct.pack(">II", zlib.crc32(entry), 12) + checksum
    open(path + checksum.hex() + ".pack", "wb").write(pack + checksum)
    open(path + checksum.hex() + ".idx", "wb").write(index + hashlib.sha1(index).digest())
    print(name.hexdigest())
    """

  /// Commits an object in the root folder.
  func plant(_ name: String, _ entry: String) throws {
    let script = "{ git ls-tree vault-1; printf '%s\\t%s\\n' \"$1\" \"$2\"; } | git mktree --missing"
    let tree = try Command.run("sh", "-c", script, "sh", entry, name, in: URL(fileURLWithPath: remote.path))
    try commit(tree, parents: [remote.tip])
  }

  /// Commits a file at any path, whose names git need not accept.
  func plantFile(_ path: String, _ content: String = "junk") throws {
    let blob = try write("blob", Data(content.utf8))
    let script = """
      export GIT_INDEX_FILE="$1/planted-index"
      git read-tree vault-1 && git update-index --add --cacheinfo "100644,$2,$3" && git write-tree
      rm -f "$GIT_INDEX_FILE"
      """
    let tree = try Command.run("sh", "-c", script, "sh", remote.path, blob, path, in: URL(fileURLWithPath: remote.path))
    try commit(tree, parents: [remote.tip])
  }

  /// Commits the root folder with its entries in reverse order.
  func reverseRoot() throws {
    let list = try remote.git("ls-tree", "vault-1").split(separator: "\n").reversed()
    var entries = Data()
    for line in list {
      let parts = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      let mode = parts[0].hasPrefix("0") ? parts[0].dropFirst() : parts[0]
      entries += Data("\(mode) \(parts[3])\0".utf8)
      let digits = Array(parts[2])
      entries += stride(from: 0, to: 40, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
    try commit(write("tree", entries), parents: [remote.tip])
  }

  /// Commits a tree on the vault's branch.
  func commit(_ tree: String, parents: [String]) throws {
    let script = """
      git -c user.name=host -c user.email=host@localhost commit-tree -m odd "$@"
      """
    let arguments = ["sh", "-c", script, "sh"] + parents.flatMap { ["-p", $0] } + [tree]
    let commit = try Command.run(arguments: arguments, in: URL(fileURLWithPath: remote.path))
    try remote.serve(commit)
  }
}
