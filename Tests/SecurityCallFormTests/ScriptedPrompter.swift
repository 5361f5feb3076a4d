import CofferTestSupport
import Foundation
import LocalAuthentication

/// A prompter that gives prepared answers one by one, and then cancels.
final class ScriptedPrompter: AuthenticationPrompter, @unchecked Sendable {
  // The lock guards both.
  private let lock = NSLock()
  private var answers: [String]
  private var asked: [AuthenticationRequest] = []

  init(_ answers: String...) { self.answers = answers }

  var reasons: [String] { lock.withLock { asked.map(\.reason) } }

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    lock.withLock {
      asked.append(request)
      guard !answers.isEmpty else { return .cancelled }
      var bytes = Array(answers.removeFirst().utf8)
      return .passphrase(Passphrase(moving: &bytes))
    }
  }

  /// Runs `body` with this prompter installed.
  func installed(_ body: () async throws -> Void) async throws { try await Self.prompting(self, body) }

  /// Runs `body` without a prompter.
  static func withoutPrompter(_ body: () async throws -> Void) async throws { try await prompting(nil, body) }

  private static func prompting(_ prompter: ScriptedPrompter?, _ body: () async throws -> Void) async throws {
    try await PrompterLock.withLock {
      AuthenticationPrompt.prompter = prompter
      defer { AuthenticationPrompt.prompter = nil }
      try await body()
    }
  }
}
