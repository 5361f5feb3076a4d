import CofferGit
import CofferTestSupport
import Foundation
import Testing

@Suite struct RepositoryTests {
  let fixture: TemporaryRemote
  let repository: Repository

  init() throws {
    fixture = try TemporaryRemote()
    repository = try fixture.open("cache")
  }

  @Test func `A commit contains the files that were added, with their contents`() throws {
    let first = try repository.commit(
      adding: [("a/b/1", bytes("one")), ("a/2", bytes("two")), ("top", [])], onto: nil)
    #expect(try repository.blob(at: "a/b/1", in: first, maximumByteCount: 3) == bytes("one"))
    #expect(try repository.blob(at: "top", in: first, maximumByteCount: 0) == [])
    #expect(try repository.blob(at: "a/b/2", in: first, maximumByteCount: 9) == nil)
    #expect(try repository.blob(at: "a/b", in: first, maximumByteCount: 9) == nil)
    #expect(try repository.blob(at: "a/2/x", in: first, maximumByteCount: 9) == nil)
    #expect(try commitAndParents(first) == "\(first)")

    let second = try repository.commit(
      adding: [("a/2", bytes("TWO")), ("c", bytes("three"))], removing: ["a/b/1", "absent/x"], onto: first)
    #expect(try commitAndParents(second) == "\(second) \(first)")
    #expect(try files(second) == ["a/2": 3, "c": 5, "top": 0])
  }

  @Test func `A file is found in a tree whose entries are out of order`() throws {
    let one = try repository.commit(adding: [("x", bytes("one"))], onto: nil)
    let blob = try Command.run("git", "-C", repository.path, "rev-parse", "\(one):x")
    let id = try objectID(blob)
    let names = ["e", "b", "d", "a", "c"]
    let tree = Data(names.flatMap { bytes("100644 \($0)\0") + id.bytes })
    let file = fixture.directory.path("tree")
    try tree.write(to: URL(filePath: file))
    let git = ["git", "-C", repository.path]
    let written = try Command.run(arguments: git + ["hash-object", "-t", "tree", "-w", "--literally", file])
    let text = try Command.run(
      arguments: git + ["-c", "user.name=x", "-c", "user.email=x@localhost", "commit-tree", "-m", "x", written])
    let commit = try objectID(text)
    for name in names { #expect(try repository.blob(at: name, in: commit, maximumByteCount: 9) == bytes("one")) }
    #expect(try repository.blob(at: "f", in: commit, maximumByteCount: 9) == nil)
  }

  @Test func `A file over the limit is refused before it is read`() throws {
    let commit = try repository.commit(adding: [("x", bytes("four"))], onto: nil)
    #expect(failure { _ = try repository.blob(at: "x", in: commit, maximumByteCount: 3) }?.code == .tooLarge)
  }

  @Test func `A commit has no author, time or message, so equal content is an equal commit`() throws {
    let commit = try repository.commit(adding: [("x", bytes("1"))], onto: nil)
    let other = try fixture.open("other").commit(adding: [("x", bytes("1"))], onto: nil)
    #expect(commit == other)
    let text = try Command.run("git", "-C", repository.path, "cat-file", "commit", "\(commit)")
    #expect(text.contains("author Coffer <coffer@localhost> 0 +0000\ncommitter Coffer <coffer@localhost> 0 +0000"))
    #expect(text.hasSuffix("Sync"))
  }

  @Test func `git's own check finds no error in a written repository`() throws {
    var tip: ObjectID?
    for number in 0..<20 {
      tip = try repository.commit(
        adding: [("segments/a/\(number / 4)/\(number)", bytes("\(number)"))],
        removing: number > 8 ? ["segments/a/\((number - 8) / 4)/\(number - 8)"] : [], onto: tip)
    }
    try repository.setReference(scratch, to: tip)
    let said = try Command.run("git", "-C", repository.path, "fsck", "--strict", "--no-dangling")
    #expect(said.split(separator: "\n").allSatisfy { $0.hasPrefix("notice:") }, "\(said)")
  }

  @Test(arguments: [
    "", "/a", "a/", "a//b", "..", "a/../b", ".", ".git", "a/.GIT/x", "a\u{0}b", "a\nb", "git~1", "a\\b",
  ])
  func `A path outside the tree, or one that git reserves, is refused`(_ path: String) throws {
    #expect(failure { _ = try repository.commit(adding: [(path, [])], onto: nil) }?.code == .rejected)
    #expect(failure { _ = try repository.commit(adding: [], removing: [path], onto: nil) }?.code == .rejected)
  }

  @Test func `A file replaces a directory, or a directory a file, only after an explicit removal`() throws {
    let base = try repository.commit(adding: [("d/x", bytes("1")), ("f", bytes("2"))], onto: nil)
    #expect(failure { _ = try repository.commit(adding: [("d", [])], onto: base) }?.code == .rejected)
    #expect(failure { _ = try repository.commit(adding: [("f/x", [])], onto: base) }?.code == .rejected)
    #expect(failure { _ = try repository.commit(adding: [("n", []), ("n/x", [])], onto: base) }?.code == .rejected)
    #expect(failure { _ = try repository.commit(adding: [("n/x", []), ("n", [])], onto: base) }?.code == .rejected)
    let healed = try repository.commit(
      adding: [("d", bytes("3")), ("f/x", bytes("4"))], removing: ["d", "f"], onto: base)
    #expect(try files(healed) == ["d": 1, "f/x": 1])
  }

  @Test func `Removing everything leaves an empty tree`() throws {
    let base = try repository.commit(adding: [("d/x", bytes("1"))], onto: nil)
    #expect(try files(repository.commit(adding: [], removing: ["d/x"], onto: base)).isEmpty)
    #expect(try files(repository.commit(adding: [], onto: nil)).isEmpty)
  }

  @Test func `A difference lists the changed files and nothing else`() throws {
    let base = try repository.commit(
      adding: [("keep/1", bytes("1")), ("a/mod", bytes("1")), ("a/del", bytes("1")), ("f", bytes("1"))], onto: nil)
    let next = try repository.commit(
      adding: [("a/mod", bytes("2")), ("new/x/y", bytes("3")), ("f/in", bytes("4"))], removing: ["a/del", "f"],
      onto: base)
    let changes = try repository.changes(from: tree(base), to: next)
    let listed = changes.map { "\($0.kind) \($0.path)" }
    #expect(listed.sorted() == ["added f/in", "added new/x/y", "deleted a/del", "deleted f", "modified a/mod"])
    let modified = try #require(changes.first { $0.path == "a/mod" })
    #expect(try repository.blob(#require(modified.content), maximumByteCount: 9) == bytes("2"))
    #expect(try repository.changes(from: tree(next), to: next).isEmpty)
    #expect(try repository.changes(from: FileTree(), to: base).map(\.kind) == [.added, .added, .added, .added])
    let cut = try repository.changes(from: FileTree(), to: base, maximumCount: 3)
    #expect(cut.contains { if case .unreadable = $0.kind { true } else { false } })
  }

  @Test func `A difference reads only the directories that differ`() throws {
    let many = (0..<300).map { (path: "d\($0 / 10)/\($0)", bytes: bytes("\($0)")) }
    let base = try repository.commit(adding: many, onto: nil)
    let next = try repository.commit(adding: [("d0/new", [])], onto: base)
    // A root of 30 directories and one directory of 11 files.
    #expect(try repository.changes(from: tree(base), to: next, maximumCount: 41).map(\.path) == ["d0/new"])
    let cut = try repository.changes(from: tree(base), to: next, maximumCount: 40)
    #expect(cut.contains { if case .unreadable = $0.kind { $0.path == "d0" } else { false } })
  }

  @Test func `Links, submodules and too deep directories are reported as irregular and never followed`() throws {
    let work = fixture.directory.path("work")
    try Command.run("git", "init", "-q", work)
    for command in [
      "ln -s /etc/passwd link", "mkdir -p 1/2/3", "echo x > 1/2/3/deep", "echo x > plain", "touch run && chmod +x run",
      "git add -A", "git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub",
      "git -c user.name=x -c user.email=x@x commit -qm x", "git push -q \(fixture.remotePath) HEAD:\(branch)",
    ] {
      try Command.run("sh", "-c", command, in: URL(fileURLWithPath: work))
    }
    try repository.fetch([branch: scratch], from: fixture.url, limits: TemporaryRemote.limits)
    let tip = try #require(try repository.reference(scratch))
    let changes = try repository.changes(from: FileTree(), to: tip, maximumDepth: 2)
    let found = Dictionary(uniqueKeysWithValues: changes.map { ($0.path, $0.mode) })
    #expect(
      found == ["link": .irregular, "sub": .irregular, "1/2": .irregular, "plain": .regular, "run": .executable])
    #expect(try repository.blob(at: "link", in: tip, maximumByteCount: 99) == nil)
    let cleaned = try repository.commit(adding: [], removing: ["link", "sub", "1/2", "run"], onto: tip)
    #expect(try files(cleaned) == ["plain": 2])
  }

  @Test func `Obstacles are the files and directories in the way of added files, and removing them helps`() throws {
    let commit = try repository.commit(adding: [("a/b/1", []), ("a/2", []), ("c", [])], onto: nil)
    #expect(try repository.obstacles(to: ["a/b/2", "a/2", "d/e/f"], in: commit).isEmpty)
    #expect(try repository.obstacles(to: ["a/b", "a/2/x/y", "a/2/z", "c/d", "e"], in: commit) == ["a/2", "a/b", "c"])
    #expect(failure { _ = try repository.obstacles(to: ["../x"], in: commit) }?.code == .rejected)
    let added = ["a/b", "a/2/x", "c/d"]
    let next = try repository.commit(
      adding: added.map { ($0, bytes("1")) }, removing: try repository.obstacles(to: added, in: commit), onto: commit)
    #expect(try files(next) == ["a/b": 1, "a/2/x": 1, "c/d": 1])
  }

  @Test func `A commit is an ancestor of itself and its descendants only`() throws {
    let first = try repository.commit(adding: [("x", bytes("1"))], onto: nil)
    let second = try repository.commit(adding: [("x", bytes("2"))], onto: first)
    let third = try repository.commit(adding: [("x", bytes("3"))], onto: second)
    let stranger = try repository.commit(adding: [("y", bytes("1"))], onto: nil)
    #expect(try repository.isAncestor(first, of: third))
    #expect(try repository.isAncestor(first, of: first))
    #expect(try !repository.isAncestor(third, of: first))
    #expect(try !repository.isAncestor(stranger, of: third))
  }

  @Test func `A reference can be set, moved anywhere and removed; an invalid name is refused`() throws {
    let first = try repository.commit(adding: [("x", bytes("1"))], onto: nil)
    let stranger = try repository.commit(adding: [("y", bytes("1"))], onto: nil)
    #expect(try repository.reference(scratch) == nil)
    try repository.setReference(scratch, to: first)
    try repository.setReference(scratch, to: stranger)
    #expect(try repository.reference(scratch) == stranger)
    try repository.setReference(scratch, to: nil)
    try repository.setReference(scratch, to: nil)
    #expect(try repository.reference(scratch) == nil)
    for name in ["HEAD", "refs/../x", "refs/heads/a b", "refs/heads/x.lock", "-x"] {
      #expect(failure { try repository.setReference(name, to: first) }?.code == .rejected)
    }
  }

  @Test func `A hash of 40 digits and its bytes are equivalent`() throws {
    let bytes: [UInt8] = [
      0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45,
      0x67,
    ]
    let id = try #require(ObjectID(bytes: bytes))
    #expect(id.description == "0123456789abcdef0123456789abcdef01234567")
    #expect(id.bytes == bytes)
    #expect(ObjectID(bytes: id.bytes) == id)
    #expect(ObjectID(bytes: bytes.dropLast()) == nil && ObjectID(bytes: bytes + [0]) == nil)
    #expect(ObjectID(bytes: [1]) == nil)
  }

  @Test func `Opening counts loose objects and packs`() throws {
    let path = try fixture.open("counted").path
    do {
      let repository = try fixture.open("counted")
      #expect(repository.statistics.looseObjectCount == 0 && repository.statistics.packCount == 0)
      try repository.setReference(scratch, to: repository.commit(adding: [("a/x", bytes("1"))], onto: nil))
    }
    #expect(try fixture.open("counted").statistics.looseObjectCount == 4)
    #expect(try fixture.open("counted").statistics.packCount == 0)
    try Command.run("git", "-C", path, "repack", "-qad")
    try Command.run("git", "-C", path, "prune-packed")
    #expect(try fixture.open("counted").statistics.looseObjectCount == 0)
    #expect(try fixture.open("counted").statistics.packCount == 1)
  }

  @Test(arguments: [GitError.Code.unreadable, .corrupt])
  func `A missing or changed object is unreadable in a new repository and corruption in an old one`(
    code: GitError.Code
  ) throws {
    // The next program opens the repository again.
    if code == .corrupt { _ = try fixture.open("other") }
    let repository = try fixture.open("other")
    let commit = try repository.commit(adding: [("x", bytes("1")), ("y", bytes("2"))], onto: nil)
    let absent = try #require(ObjectID(bytes: [UInt8](repeating: 0x11, count: 20)))
    #expect(failure { _ = try repository.isAncestor(absent, of: absent) }?.code == code)
    #expect(try !repository.isAncestor(absent, of: commit))
    #expect(failure { _ = try repository.changes(from: FileTree(), to: absent) }?.code == code)
    let name = try Command.run("git", "-C", repository.path, "rev-parse", "\(commit):x")
    let path = "\(repository.path)/objects/\(name.prefix(2))/\(name.dropFirst(2))"
    let other = try Command.run("git", "-C", repository.path, "rev-parse", "\(commit):y")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(
      atPath: "\(repository.path)/objects/\(other.prefix(2))/\(other.dropFirst(2))", toPath: path)
    #expect(failure { _ = try repository.blob(at: "x", in: commit, maximumByteCount: 9) }?.code == code)
  }

  @Test func `A lost directory is listed, counts as empty, is no obstacle, and is replaced by a commit`() throws {
    let base = try repository.commit(adding: [("keep", bytes("1"))], onto: nil)
    let commit = try repository.commit(adding: [("a/b/1", bytes("1")), ("c/d", bytes("2"))], onto: base)
    try removeObject("\(commit):a/b")
    let changes = try repository.changes(from: tree(base), to: commit)
    #expect(changes.map(\.path) == ["a/b", "c/d"])
    guard case .unreadable? = changes.first?.kind else {
      Issue.record("\(changes)")
      return
    }
    let code = failure { _ = try repository.blob(at: "a/b/1", in: commit, maximumByteCount: 9) }?.code
    #expect(code == .unreadable)
    #expect(try repository.blob(at: "c/d", in: commit, maximumByteCount: 9) == bytes("2"))
    #expect(try repository.obstacles(to: ["a/b/2"], in: commit).isEmpty)
    let next = try repository.commit(adding: [("a/b/2", bytes("3"))], onto: commit)
    #expect(try files(next) == ["keep": 1, "a/b/2": 1, "c/d": 1])
    #expect(try repository.changes(from: tree(commit), to: next).map(\.path) == ["a/b/2"])
  }

  @Test func `A push reads and sends nothing of directories that it does not change`() throws {
    let base = try repository.commit(adding: [("a/1", bytes("1")), ("b/1", bytes("2"))], onto: nil)
    #expect(try repository.push(base, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let next = try repository.commit(adding: [("a/2", bytes("3"))], onto: base)
    try removeObject("\(base):b")
    #expect(try repository.push(next, to: branch, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try fixture.revision(branch) == next.description)
    try Command.run("git", "-C", fixture.remotePath, "fsck", "--strict")
  }

  private func removeObject(_ revision: String) throws {
    let name = try Command.run("git", "-C", repository.path, "rev-parse", revision)
    try FileManager.default.removeItem(atPath: "\(repository.path)/objects/\(name.prefix(2))/\(name.dropFirst(2))")
  }

  /// Returns the regular files of a commit.
  private func tree(_ commit: ObjectID) throws -> FileTree {
    var tree = FileTree()
    for change in try repository.changes(from: FileTree(), to: commit) {
      if let content = change.content { tree.insert(change.path, content) }
    }
    return tree
  }

  /// The files of a commit and their sizes.
  private func files(_ commit: ObjectID) throws -> [String: Int] {
    var found: [String: Int] = [:]
    for change in try repository.changes(from: FileTree(), to: commit) {
      found[change.path] = try repository.blob(#require(change.content), maximumByteCount: 1_000).count
    }
    return found
  }

  private func commitAndParents(_ commit: ObjectID) throws -> String {
    try Command.run("git", "-C", repository.path, "rev-list", "--parents", "--max-count=1", "\(commit)")
  }
}
