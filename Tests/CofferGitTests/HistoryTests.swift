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

  private func everyFile(of commits: ObjectID...) throws -> [String] {
    try repository.everyFile(of: commits, in: ["a"]).map { file in
      let text = String(decoding: try repository.blob(file.content, maximumByteCount: 99), as: UTF8.self)
      return "\(file.path) \(text)\(file.isFormer ? " former" : "")"
    }
  }

  @Test func `Files that were changed or removed are listed, the latest first`() throws {
    let first = try repository.commit(adding: [("a/1", bytes("one")), ("a/b/2", bytes("two"))], onto: nil)
    let second = try repository.commit(adding: [("a/1", bytes("ONE")), ("other", bytes("o"))], onto: first)
    let third = try repository.commit(adding: [("a/3", bytes("three"))], removing: ["a/b/2"], onto: second)
    let last = try repository.commit(adding: [], removing: ["a/1", "other"], onto: third)
    #expect(try everyFile(of: last) == ["a/3 three", "a/1 ONE former", "a/b/2 two former", "a/1 one former"])
    #expect(try everyFile(of: first) == ["a/1 one", "a/b/2 two"])
    #expect(try everyFile(of: first, last) == ["a/1 one", "a/b/2 two", "a/3 three", "a/1 ONE former"])
    #expect(try repository.commitsBeforeChanges(in: last) == [first, second, third])
    #expect(try repository.commitsBeforeChanges(in: last, maximumCount: 1) == [third])
  }

  @Test func `Commits that only add files hide nothing, and are not listed`() throws {
    var tip = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let before = tip
    tip = try repository.commit(adding: [], removing: ["a/1"], onto: tip)
    for number in 2..<40 { tip = try repository.commit(adding: [("a/\(number)", bytes("\(number)"))], onto: tip) }
    #expect(try everyFile(of: tip).last == "a/1 one former")
    #expect(try repository.commitsBeforeChanges(in: tip) == [before])
  }

  @Test func `Only losses count that the caller accepts, whatever was removed since`() throws {
    let genuine = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    var tip = try repository.commit(adding: [("a/2", bytes("junk 0"))], removing: ["a/1"], onto: genuine)
    for number in 1..<20 { tip = try repository.commit(adding: [("a/2", bytes("junk \(number)"))], onto: tip) }
    let one = try ObjectID.ofFile(bytes("one"))
    #expect(try repository.commitsBeforeChanges(in: tip, maximumCount: 2) { $0.content == one } == [genuine])
    #expect(try !repository.commitsBeforeChanges(in: tip, maximumCount: 2).contains(genuine))
  }

  @Test func `A file at the root has the contents of all lines, also of one that a merge has joined`() throws {
    func contents(of commit: ObjectID) throws -> [String] {
      try repository.contents(of: "a", among: ["a", "b"], in: commit).map {
        String(decoding: try #require(try repository.file($0, among: ["a", "b"], maximumByteCount: 9)), as: UTF8.self)
      }
    }
    let first = try repository.commit(adding: [("a", bytes("one"))], onto: nil)
    let second = try repository.commit(adding: [("a", bytes("two")), ("c", bytes("c"))], onto: first)
    let third = try repository.commit(adding: [], removing: ["a"], onto: second)
    let other = try repository.commit(adding: [("a", bytes("other")), ("b", bytes("b"))], onto: nil)
    #expect(try contents(of: third) == ["two", "one"])
    #expect(try contents(of: second) == ["two", "one"])
    #expect(try contents(of: first) == ["one"])
    let merge = try commit(ofTree: third, parents: [other, third])
    #expect(try contents(of: merge) == ["other", "two", "one"])
  }

  @Test func `A merge hides nothing, whichever parent it names first`() throws {
    let genuine = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let empty = try repository.commit(adding: [("x", bytes("x"))], onto: nil)
    for parents in [[empty, genuine], [genuine, empty]] {
      let merge = try commit(ofTree: empty, parents: parents)
      #expect(try everyFile(of: merge) == ["a/1 one former"])
      #expect(try repository.commitsBeforeChanges(in: merge).contains(genuine))
    }
  }

  @Test func `A commit that cannot be read ends its own line only`() throws {
    let first = try repository.commit(adding: [("a/1", bytes("one"))], onto: nil)
    let huge = try commit(ofTree: first, parents: [first], message: String(repeating: "x", count: 1 << 17))
    let empty = try repository.commit(adding: [("x", bytes("x"))], onto: nil)
    #expect(try everyFile(of: commit(ofTree: empty, parents: [huge, first])) == ["a/1 one former"])
    #expect(try everyFile(of: commit(ofTree: empty, parents: [huge])) == [])
  }
}
