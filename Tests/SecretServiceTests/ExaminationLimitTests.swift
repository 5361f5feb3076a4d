#if os(Linux)
  @testable import CofferSecretService
  import CofferSystem
  import CofferTestSupport
  import CofferVault
  import Dispatch
  import Foundation
  import Synchronization
  import Testing

  /// Callers whose examination does not end. One after the other, because the limits hold for the whole process.
  @Suite(.serialized) struct ExaminationLimitTests {
    private let folder: TemporaryDirectory
    private let identification: CallerIdentification

    init() throws {
      folder = try TemporaryDirectory()
      identification = CallerIdentification(vault: VaultFolder(folder.url.appending(path: "none")))
    }

    /// A number that no process has: the kernel gives none above 1 << 22.
    private static let nobody: Int32 = 1 << 30

    /// Callers whose examinations last until the test ends them: one lasts until its result has been taken.
    private final class Crowd: Sendable {
      private let entered = Mutex(0)
      private let gate = DispatchSemaphore(value: 0)

      /// How many examinations have begun.
      var count: Int { entered.withLock { $0 } }

      /// Takes the result of an examination, and returns when it may end.
      func take() {
        entered.withLock { $0 += 1 }
        gate.wait()
      }

      /// Ends examinations, or lets as many later ones end at once.
      func release(_ count: Int) { for _ in 0..<count { gate.signal() } }
    }

    /// The results of examinations.
    private final class Answers: Sendable {
      private let identities = Mutex<[CallerIdentity]>([])

      var all: [CallerIdentity] { identities.withLock { $0 } }

      func add(_ identity: CallerIdentity) { identities.withLock { $0.append(identity) } }
    }

    private static func credentials(_ process: Int32) -> CallerCredentials {
      CallerCredentials(connection: ":1.7", user: geteuid(), process: process)
    }

    /// Begins an examination for each of some connections, and waits until all of them run at once.
    private func occupy(_ processes: [Int32], _ crowd: Crowd) throws {
      for process in processes { identification.identify(Self.credentials(process)) { _ in crowd.take() } }
      try waitUntil("\(processes.count) examinations run") { crowd.count == processes.count }
    }

    /// Asks who this process is.
    private func identifyThis() -> Answers {
      let answers = Answers()
      identification.identify(Self.credentials(getpid())) { answers.add($0) }
      return answers
    }

    /// Examines this process a hundred times without the limits, on threads of their own. An examination whose thread
    /// was started before has a result by then.
    private func examineWithoutLimits() throws {
      let answers = Answers()
      for _ in 0..<100 {
        let hasBegun = BlockingThread.start {
          answers.add(CallerIdentification.examine(Self.credentials(getpid()), []))
        }
        try #require(hasBegun)
      }
      try waitUntil("this process has been examined") { answers.all.count == 100 }
    }

    @Test func `At most 64 programs are examined at once, and the next one as soon as one of them has been`() throws {
      let crowd = Crowd()
      defer { crowd.release(64) }
      try occupy((0..<64).map { Self.nobody + Int32($0) }, crowd)
      let next = identifyThis()
      try examineWithoutLimits()
      #expect(next.all.isEmpty)
      crowd.release(1)
      try waitUntil("the next program is examined") { !next.all.isEmpty }
      #expect(next.all == [.common])
    }

    @Test func `Eight connections of one program are examined at once, and other programs do not wait for them`() throws
    {
      let crowd = Crowd()
      defer { crowd.release(9) }
      try occupy(Array(repeating: Self.nobody, count: 8), crowd)
      identification.identify(Self.credentials(Self.nobody)) { _ in crowd.take() }
      let other = identifyThis()
      try waitUntil("the other program is examined") { !other.all.isEmpty }
      #expect(other.all == [.common])
      try examineWithoutLimits()
      #expect(crowd.count == 8)
      crowd.release(1)
      try waitUntil("the ninth connection is examined") { crowd.count == 9 }
    }

    @Test(.inFullRun) func `A program whose turn does not come is refused after 20 seconds, and not before`() throws {
      let crowd = Crowd()
      defer { crowd.release(64) }
      try occupy((0..<64).map { Self.nobody + Int32($0) }, crowd)
      let begin = ContinuousClock.now
      let next = identifyThis()
      try waitUntil("the program is refused") { !next.all.isEmpty }
      #expect(ContinuousClock.now - begin >= .seconds(20))
      let refusal = try #require(next.all.first?.refusal)
      #expect(refusal.description == "the system does not answer about it" && refusal.isTemporary)
    }
  }
#endif
