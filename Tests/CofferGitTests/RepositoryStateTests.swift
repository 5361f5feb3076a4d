import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// What is read of a repository on this machine without git.
@Suite struct RepositoryStateTests {
  private let fixture: TemporaryRemote

  init() throws {
    fixture = try TemporaryRemote()
    let cache = try fixture.open("cache")
    let first = try cache.commit(adding: [("a", [1])], onto: nil)
    let second = try cache.commit(adding: [("a", [2])], onto: first)
    for (commit, name) in [(first, "refs/heads/main"), (second, "refs/heads/vault/x"), (first, "refs/tags/t")] {
      #expect(try cache.push(commit, to: name, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    }
  }

  private func state() throws -> RepositoryState? { try fixture.url.repositoryState() }

  /// What git lists.
  private func listed() throws -> [String: String] {
    let cache = try fixture.open("lister")
    return try cache.remoteReferences(of: fixture.url, limits: TemporaryRemote.limits).mapValues(\.description)
  }

  private func git(_ arguments: String...) throws {
    _ = try Command.run(arguments: ["git", "-C", fixture.remotePath] + arguments)
  }

  @Test func `The branches and tags are those that git lists, packed or not`() throws {
    let loose = try listed()
    #expect(loose.count == 3)
    #expect(try state()?.references == loose)
    try git("pack-refs", "--all")
    #expect(try state()?.references == loose)
    try git("update-ref", "refs/heads/main", "refs/heads/vault/x")
    #expect(try state()?.references == listed())
    #expect(try state()?.references != loose)
  }

  @Test func `A push, and the loss of packed objects, change the state`() throws {
    let before = try state()
    #expect(try state() == before)
    try git("gc", "--quiet")
    let packed = try state()
    #expect(packed != before && packed?.references == before?.references)
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(fixture.remotePath)/objects/pack") {
      try FileManager.default.removeItem(atPath: "\(fixture.remotePath)/objects/pack/\(name)")
    }
    #expect(try state() != packed)
  }

  @Test(arguments: [
    "git symbolic-ref refs/heads/alias refs/heads/main", "rm HEAD", "rm -r objects", "mkdir .git",
    "rm -r refs/heads && echo reftable >refs/heads", "echo damaged >refs/heads/main",
    "rm -f packed-refs && ln -s elsewhere packed-refs",
  ])
  func `Of an unusual repository, nothing is read without git`(_ change: String) throws {
    #expect(try state() != nil)
    try Command.run("sh", "-c", change, in: URL(filePath: fixture.remotePath))
    #expect(try state() == nil)
  }

  @Test func `Only a path has files`() throws {
    #expect(try RemoteURL("https://localhost\(fixture.remotePath)").repositoryState() == nil)
    #expect(try RemoteURL(fixture.remotePath + "/nothing").repositoryState() == nil)
  }
}

/// The forms in which objects are written.
@Suite struct StoredObjectTests {
  @Test(arguments: [0, 1, 16_384, 16_385, 65_535, 200_000])
  func `git accepts a push of a file of any size, and has the same content`(_ byteCount: Int) throws {
    let fixture = try TemporaryRemote()
    let cache = try fixture.open("cache")
    let content = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let commit = try cache.commit(adding: [("f/1", content), ("f/2", content)], onto: nil)
    #expect(try cache.blob(at: "f/1", in: commit, maximumByteCount: byteCount) == content)
    #expect(try cache.push(commit, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    try Command.run("git", "-C", fixture.remotePath, "fsck", "--strict", "--full")
    try Command.run("git", "-C", fixture.directory.path("cache"), "fsck", "--strict", "--full")
    let copy = try fixture.open("copy")
    try copy.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    #expect(try copy.blob(at: "f/2", in: commit, maximumByteCount: byteCount) == content)
  }

  @Test func `A large push stays a pack, and a small one does not`() throws {
    let fixture = try TemporaryRemote()
    let cache = try fixture.open("cache")
    func packCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "\(fixture.remotePath)/objects/pack")
        .count { $0.hasSuffix(".pack") }
    }
    let small = try cache.commit(adding: [("small", [1])], onto: nil)
    #expect(try cache.push(small, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try packCount() == 0)
    let large = try cache.commit(adding: [("large", [UInt8](repeating: 7, count: 5 << 20))], onto: small)
    #expect(try cache.push(large, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try packCount() == 1)
    let last = try cache.commit(adding: [("small", [2])], onto: large)
    #expect(try cache.push(last, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try packCount() == 1)
  }

  @Test func `A file of which a killed process has left a part is written anew`() throws {
    let fixture = try TemporaryRemote()
    let content = [UInt8](repeating: 3, count: 100_000)
    let id = try ObjectID.ofFile(content).description
    let cache = try fixture.open("cache")
    let folder = "\(cache.path)/objects/\(id.prefix(2))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: "\(folder)/tmp_obj_\(id.dropFirst(2))"))
    let commit = try cache.commit(adding: [("f", content)], onto: nil)
    #expect(try cache.blob(at: "f", in: commit, maximumByteCount: content.count) == content)
  }
}
