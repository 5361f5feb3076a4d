import Dispatch
import Security
import Synchronization

/// Several threads that use one keychain, in a process that may be one of many.
///
/// Acknowledged calls are printed on standard output: `own ACCOUNT` once an item has its final value, which is the name
/// of its account, and `claimed ACCOUNT VALUE` for each item that all threads try to add and one adds. The first wrong
/// result ends the process.
final class ConcurrentWork: Sendable {
  struct Mismatch: Error { let description: String }

  private let name: String
  private let count: Int
  private let keychain: Keychain
  private let failure = Mutex<(any Error)?>(nil)

  init(name: String, count: Int, keychain: Keychain) {
    self.name = name
    self.count = count
    self.keychain = keychain
  }

  func run(threads: Int) throws {
    let done = DispatchGroup()
    for thread in 0..<threads {
      done.enter()
      Thread.detachNewThread {
        defer { done.leave() }
        do {
          for round in 0..<self.count where self.failure.withLock({ $0 == nil }) { try self.work(thread, round) }
        } catch {
          self.failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func work(_ thread: Int, _ round: Int) throws {
    let own = "\(name)-\(thread)-\(round)"
    try keychain.add(own, Data("draft".utf8))
    try keychain.update(own, [kSecValueData as String: Data(own.utf8)])
    say("own \(own)")
    try expect(own, try keychain.value(of: own) == Data(own.utf8))

    let shared = "shared-\(round % 5)"
    try upsert(shared, Data("by \(own)".utf8))
    try expect(shared, try keychain.value(of: shared).starts(with: Data("by ".utf8)))

    do {
      try keychain.add("claim-\(round)", Data(own.utf8))
      say("claimed claim-\(round) \(own)")
    } catch let error as KeychainError where error.status == errSecDuplicateItem {
      // Another thread added it first.
    }
    guard round % 10 == 9 else { return }
    let passing = "passing-\(own)"
    try keychain.add(passing, Data())
    try keychain.delete(passing)
    do {
      _ = try keychain.value(of: passing)
      throw Mismatch(description: "\(passing) is there after its deletion")
    } catch let error as KeychainError where error.status == errSecItemNotFound {
      // The expected result.
    }
    let mine = try keychain.list().filter {
      ($0[kSecAttrAccount as String] as? String)?.hasPrefix("\(name)-\(thread)-") == true
    }
    try expect("the list", mine.count == round + 1)
  }

  /// Updates the item, and adds it if it does not exist, as articles show it. Another thread may add it in between.
  private func upsert(_ account: String, _ value: Data) throws {
    do {
      try keychain.update(account, [kSecValueData as String: value])
    } catch let missing as KeychainError where missing.status == errSecItemNotFound {
      do {
        try keychain.add(account, value)
      } catch let twin as KeychainError where twin.status == errSecDuplicateItem {
        try keychain.update(account, [kSecValueData as String: value])
      }
    }
  }

  private func expect(_ what: String, _ isTrue: Bool) throws {
    guard isTrue else { throw Mismatch(description: "\(what) is not what was written") }
  }

  /// Prints in one write, so that lines of threads do not mix.
  private func say(_ text: String) { KeychainProgram.print(text + "\n", to: .standardOutput) }
}
