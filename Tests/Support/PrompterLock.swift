/// A lock on the process-wide prompter, because suites run side by side.
package actor PrompterLock {
  private static let shared = PrompterLock()

  private var isLocked = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs `body` while no other test uses the prompter.
  package static func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    await shared.lock()
    do {
      let result = try await body()
      await shared.unlock()
      return result
    } catch {
      await shared.unlock()
      throw error
    }
  }

  private func lock() async {
    guard isLocked else {
      isLocked = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func unlock() {
    guard !waiting.isEmpty else {
      isLocked = false
      return
    }
    waiting.removeFirst().resume()
  }
}
