import CofferGit
import CofferTestSupport
import Testing

/// Branches that others end or delete.
@Suite struct DeletedBranchTests {
  private let fixture: TemporaryRemote
  private let name = "refs/heads/epoch"

  init() throws { fixture = try TemporaryRemote() }

  @Test func `A push does not create a deleted branch again, unless it begins a history`() throws {
    let writer = try fixture.open("writer")
    let first = try writer.commit(adding: [("a", [1])], onto: nil)
    let second = try writer.commit(adding: [("b", [2])], onto: first)
    #expect(try writer.push(second, to: name, at: fixture.url, limits: TemporaryRemote.limits) != .accepted)
    #expect(try writer.push(first, to: name, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try writer.push(second, to: name, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    #expect(try writer.removeReference(name, at: fixture.url, limits: TemporaryRemote.limits) == .accepted)
    let third = try writer.commit(adding: [("c", [3])], onto: second)
    #expect(try writer.push(third, to: name, at: fixture.url, limits: TemporaryRemote.limits) != .accepted)
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
