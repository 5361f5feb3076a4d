/// A lock on the process-wide prompter, because suites run side by side.
package actor PrompterTurn {
  private static let shared = PrompterTurn()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs `body` while no other test uses the prompter.
  package static func take<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    await shared.begin()
    do {
      let result = try await body()
      await shared.end()
      return result
    } catch {
      await shared.end()
      throw error
    }
  }

  private func begin() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}
