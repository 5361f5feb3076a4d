import CofferGit
import CofferTestSupport
import Foundation
import Testing

@Suite struct RepositoryOpeningTests {
  let fixture: TemporaryRemote

  init() throws {
    fixture = try TemporaryRemote()
  }

  @Test func `A second opener gets a locked error until the first one closes the repository`() throws {
    var first: Repository? = try fixture.open("cache")
    #expect(failure { _ = try fixture.open("cache") }?.code == .locked)
    #expect(first != nil)
    first = nil
    // A child that another test is starting holds the descriptor until it has executed its program.
    try waitUntil("the repository can be opened") { failure { _ = try fixture.open("cache") } == nil }
  }

  @Test func `Another process gets the locked error too`() async throws {
    let path = fixture.directory.path("cache")
    let repository = try fixture.open("cache")
    await #expect(processExitsWith: .success) { [path = path as String] in
      #expect(failure { _ = try Repository.open(at: path, creatingIfNeeded: true) }?.code == .locked)
    }
    #expect(repository.path == path)
  }

  @Test func `Files that a killed process left are removed, and other files are kept`() throws {
    let path = fixture.directory.path("cache")
    let tip: ObjectID
    do {
      let repository = try fixture.open("cache")
      tip = try repository.commit(adding: [("x", bytes("1"))], onto: nil)
      try repository.setReference("refs/heads/kept", to: tip)
      try Command.run("git", "-C", path, "repack", "-qad")
    }
    let litter = [
      "refs/heads/x.lock", "refs/coffer/deep/er/y.lock", "packed-refs.lock", "HEAD.lock", "config.lock", "index.lock",
      "_git2_a1b2c3", "objects/tmp_object_git2_a1b2c3", "objects/pack/pack_git2_a1b2c3", "objects/pack/tmp_pack_x",
      "objects/pack/pack-1.idx.lock", "objects/ab/tmp_obj_x",
    ]
    let before = try files(path)
    for name in litter {
      let url = URL(fileURLWithPath: path).appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: url)
    }
    let repository = try fixture.open("cache")
    #expect(try files(path) == before)
    try repository.setReference("refs/heads/x", to: tip)
    try repository.setReference("refs/coffer/deep/er/y", to: tip)
    #expect(try repository.reference("refs/heads/kept") == tip)
    #expect(try repository.blob(at: "x", in: tip, maximumByteCount: 1) == bytes("1"))
  }

  @Test(arguments: ["HEAD", "config", "objects", "refs"])
  func `An interrupted creation is completed by the next opener`(_ missing: String) throws {
    _ = try fixture.open("cache")
    try FileManager.default.removeItem(atPath: fixture.directory.path("cache/\(missing)"))
    let repository = try fixture.open("cache")
    let tip = try repository.commit(adding: [("x", [])], onto: nil)
    try repository.setReference(scratch, to: tip)
    #expect(try repository.reference(scratch) == tip)
  }

  @Test func `A folder with other contents is refused and left unchanged`() throws {
    try FileManager.default.createDirectory(
      atPath: fixture.directory.path("home"), withIntermediateDirectories: false)
    try fixture.directory.write("home/letter", "dear")
    #expect(failure { _ = try fixture.open("home") }?.code == .rejected)
    #expect(FileManager.default.contents(atPath: fixture.directory.path("home/letter")) == Data("dear".utf8))
  }

  @Test func `A missing repository is not found, and a created one is readable by its owner only`() throws {
    let path = fixture.directory.path("new/cache")
    #expect(failure { _ = try Repository.open(at: path, creatingIfNeeded: false) }?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: path))
    _ = try Repository.open(at: path, creatingIfNeeded: true)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    _ = try Repository.open(at: path, creatingIfNeeded: false)
  }

  @Test func `A damaged reference is corruption, so that the caller creates the cache again`() throws {
    let repository = try fixture.open("cache")
    let tip = try repository.commit(adding: [("x", [])], onto: nil)
    try repository.setReference(scratch, to: tip)
    for text in ["", "nonsense\n"] {
      try fixture.directory.write("cache/" + scratch, text)
      #expect(failure { _ = try repository.reference(scratch) }?.code == .corrupt)
    }
  }

  private func files(_ path: String) throws -> Set<String> {
    let all = try FileManager.default.subpathsOfDirectory(atPath: path)
    return Set(all.filter { !FileManager.default.fileExists(atPath: path + "/" + $0 + "/.") })
  }
}
