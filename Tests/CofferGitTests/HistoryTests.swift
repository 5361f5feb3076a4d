import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// What a branch had before somebody changed it. Whoever may push chooses the commits that follow.
@Suite struct HistoryTests {
  private let fixture: TemporaryRemote
  private let repository: Repository

  init() throws {
    fixture = try TemporaryRemote()
    repository = try fixture.open("cache")
  }

  /// Creates a commit of a commit's tree with parents in an order of choice.
  private func commit(ofTree tree: ObjectID, parents: [ObjectID], message: String = "x") throws -> ObjectID {
    let file = try fixture.directory.write("message", message)
    let text = try Command.run(
      arguments: [
        "git", "-C", repository.path, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit-tree", "-F", file,
      ] + parents.flatMap { ["-p", "\($0)"] } + ["\(tree)^{tree}"])
    return try objectID(text)
  }

  private func formerFiles(of commit: ObjectID, maximumCount: Int = 100) throws -> [String] {
    try repository.formerFiles(of: commit, in: ["a"], maximumCount: maximumCount).map { path, content in
      "\(path) \(String(decoding: try repository.blob(content, maximumByteCount: 99), as: UTF8.self))"
    }
  }

  @Test func `Files that were changed or removed are listed, the latest first`() throws {
    let first = try repository.commit(adding: [("a/1", bytes("one")), ("a/b/2", bytes("two"))], onto: nil)
    let second = try repository.commit(adding: [("a/1", bytes("ONE")), ("other", bytes("o"))], onto: first)
    let third = try repository.commit(adding: [("a/3", bytes("three"))], removing: ["a/b/2"], onto: second)
    let last = try repository.commit(adding: [], removing: ["a/1", "other"], onto: third)
    #expect(try formerFiles(of: last) == ["a/1 ONE", "a/b/2 two", "a/1 one"])
    #expect(try formerFiles(of: last, maximumCount: 1) == ["a/1 ONE"])
    #expect(try formerFiles(of: first) == [])
    #expect(try repository.commitsBeforeChanges(in: last) == [first, second, third])
    #expect(try repository.commitsBeforeChanges(in: last, maximumCount: 1) == [third])
  }

  @Test func `Commits that only add files hide nothing, and are not listed`() throws {
    var tip = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let before = tip
    tip = try repository.commit(adding: [], removing: ["a/1"], onto: tip)
    for number in 2..<40 { tip = try repository.commit(adding: [("a/\(number)", bytes("\(number)"))], onto: tip) }
    #expect(try formerFiles(of: tip) == ["a/1 one"])
    #expect(try repository.commitsBeforeChanges(in: tip) == [before])
  }

  @Test func `A merge hides nothing, whichever parent it names first`() throws {
    let genuine = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let empty = try repository.commit(adding: [("x", bytes("x"))], onto: nil)
    for parents in [[empty, genuine], [genuine, empty]] {
      let merge = try commit(ofTree: empty, parents: parents)
      #expect(try formerFiles(of: merge) == ["a/1 one"])
      #expect(try repository.commitsBeforeChanges(in: merge).contains(genuine))
    }
  }

  @Test func `A commit that cannot be read ends its own line only`() throws {
    let first = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let huge = try commit(ofTree: first, parents: [first], message: String(repeating: "x", count: 1 << 17))
    let empty = try repository.commit(adding: [("x", bytes("x"))], onto: nil)
    #expect(try formerFiles(of: commit(ofTree: empty, parents: [huge, first])) == ["a/1 one"])
    #expect(try formerFiles(of: commit(ofTree: empty, parents: [huge])) == [])
  }
}
