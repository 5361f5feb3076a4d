import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// Bundles of a few kilobytes that describe gigabytes, and what git makes of similar files.
@Suite struct BundleLimitTests {
  private let directory: TemporaryDirectory
  private let repository: Repository

  init() throws {
    directory = try TemporaryDirectory()
    repository = try Repository.open(at: directory.path("read.git"), creatingIfNeeded: true)
  }

  /// Reads a bundle in parts of a size.
  @discardableResult
  private func read(_ bundle: Data, partSize: Int = 1 << 16) throws(GitError) -> [String: ObjectID] {
    var rest = bundle[...]
    return try repository.readBundle { () throws(GitError) in
      defer { rest = rest.dropFirst(partSize) }
      return [UInt8](rest.prefix(partSize))
    }
  }

  private func refusal(_ pack: ForgedPack) throws -> GitError? {
    let bundle = try pack.bundle()
    do throws(GitError) {
      try read(bundle)
      return nil
    } catch {
      return error
    }
  }

  @Test func `An object that is larger than any of a vault is refused by its header`() throws {
    let error = try #require(try refusal(ForgedPack().zeros(130 << 20)))
    #expect(error.code == .tooLarge && error.message.contains("an object has 136314880 bytes"), "\(error)")
    // Neither is the result of a difference made.
    let result = try #require(try refusal(ForgedPack().zeros(ForgedPack.copy).delta(copying: 10)))
    #expect(result.code == .tooLarge && result.message.contains("an object has 167772150 bytes"), "\(result)")
  }

  @Test func `Objects that inflate to far more than the bundle has are refused`() throws {
    var pack = ForgedPack()
    for size in 0..<10 { pack = try pack.zeros((30 << 20) + size) }
    let error = try #require(try refusal(pack))
    #expect(error.code == .tooLarge && error.message.contains("it takes more than"), "\(error)")
  }

  @Test func `Many differences that are made from one large object are refused`() throws {
    var pack = try ForgedPack().zeros(ForgedPack.copy)
    for index in 0..<2_000 { pack = try pack.deltaOfFirst(ForgedPack.copy, number: index) }
    let error = try #require(try refusal(pack))
    #expect(error.code == .tooLarge && error.message.contains("it takes more than"), "\(error)")
  }

  @Test func `A chain of differences is refused by what each of them costs, also if bases are named by hashes`() throws
  {
    var chain = try ForgedPack().zeros(60_000)
    for _ in 1...2_000 { chain = try chain.delta(copying: 1, isCompressed: false) }
    let error = try #require(try refusal(chain))
    #expect(error.code == .tooLarge && error.message.contains("it takes more than"), "\(error)")
    var named = try ForgedPack().zeros(60_000)
    for index in 0..<2_000 {
      named = try named.delta(
        toHash: [UInt8](repeating: UInt8(index & 0xff), count: 20), of: 60_000, copying: 1, inserting: 0)
    }
    let other = try #require(try refusal(named))
    #expect(other.code == .tooLarge && other.message.contains("it takes more than"), "\(other)")
  }

  @Test func `A size that is a lie, and a base that is nowhere, make a bundle damaged`() throws {
    for pack in [
      try ForgedPack().object(size: 1_000, content: [UInt8](repeating: 0, count: 100)),
      try ForgedPack().object(size: 100, content: [UInt8](repeating: 0, count: 1 << 20)),
      try ForgedPack().zeros(10).delta(copying: 1, basedOn: 1 << 40),
      try ForgedPack().zeros(10).delta(copying: 1, basedOn: 3),
    ] {
      let error = try #require(try refusal(pack))
      #expect(error.code == .corrupt, "\(error)")
    }
  }

  @Test(arguments: [1, 1 << 16], [true, false])
  func `What git packs with differences is read, in parts of any size`(partSize: Int, basesHaveOffsets: Bool) throws {
    let work = directory.path("work")
    try Command.run("git", "init", "-q", work)
    func git(_ arguments: String...) throws -> String {
      try Command.run(
        arguments: ["git", "-C", work, "-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "gc.auto=0"]
          + arguments)
    }
    var generator = SeededGenerator(seed: 3)
    var lines = (0..<400).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator), radix: 16) }
    for number in 0..<30 {
      lines[Int.random(in: 0..<400, using: &generator)] = "changed \(number)"
      try directory.write("work/file", lines.joined(separator: "\n"))
      _ = try git("add", "file")
      _ = try git("commit", "-q", "-m", "x")
    }
    let commit = try git("rev-parse", "HEAD")
    let pack = directory.path("pack")
    try Command.run(
      "sh", "-c",
      "cd \"$1\" && git rev-list --objects HEAD | git pack-objects -q --stdout --depth=50 --window=50 $2 > \"$3\"",
      "sh",
      work, basesHaveOffsets ? "--delta-base-offset" : "", pack)
    let bundle =
      Data("# v2 git bundle\n\(commit) refs/heads/main\n\n".utf8) + (try Data(contentsOf: URL(fileURLWithPath: pack)))
    // Some objects are differences: the files alone have more bytes than the pack.
    #expect(bundle.count < 30 * 400 * 8)
    let references = try read(bundle, partSize: partSize)
    let tip = try #require(references["refs/heads/main"])
    let content = try repository.blob(at: "file", in: tip, maximumByteCount: 1 << 20)
    #expect(content == Array(lines.joined(separator: "\n").utf8))
  }
}
