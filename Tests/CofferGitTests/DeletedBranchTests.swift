import CofferGit
import CofferTestSupport
import Testing

/// Branches that others end or delete.
@Suite struct DeletedBranchTests {
  private let fixture: TemporaryRemote
  private let name = "refs/heads/epoch"

  init() throws { fixture = try TemporaryRemote() }

  @Test func `A push that may not create a branch does not create a deleted one again`() throws {
    let writer = try fixture.open("writer")
    let first = try writer.commit(adding: [("a", [1])], onto: nil)
    let second = try writer.commit(adding: [("b", [2])], onto: first)
    func push(_ commit: ObjectID, mayCreate: Bool = false) throws -> PushOutcome {
      try writer.push(commit, to: name, mayCreate: mayCreate, at: fixture.url, limits: TemporaryRemote.limits)
    }
    #expect(try push(first) != .accepted)
    #expect(try push(first, mayCreate: true) == .accepted)
    #expect(try push(second) == .accepted)
    #expect(try writer.removeReference(name, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let third = try writer.commit(adding: [("c", [3])], onto: second)
    #expect(try push(third) == .rejected(reason: "the remote has deleted the branch"))
  }

  @Test func `The commit that added a file is the earliest one of those that have it without a gap`() throws {
    let repository = try fixture.open("cache")
    let first = try repository.commit(adding: [("a", [1])], onto: nil)
    let second = try repository.commit(adding: [("end", [2])], onto: first)
    let third = try repository.commit(adding: [("b", [3])], onto: second)
    let fourth = try repository.commit(adding: [], removing: ["end"], onto: third)
    let fifth = try repository.commit(adding: [("end", [5])], onto: fourth)
    #expect(try repository.commit(thatAdded: "end", to: third) == second)
    #expect(try repository.commit(thatAdded: "end", to: second) == second)
    #expect(try repository.commit(thatAdded: "end", to: fourth) == nil)
    #expect(try repository.commit(thatAdded: "end", to: fifth) == fifth)
    #expect(try repository.commit(thatAdded: "a", to: fifth) == first)
    #expect(try repository.hasEntry(at: "b", in: third) && !repository.hasEntry(at: "b", in: second))
  }
}
