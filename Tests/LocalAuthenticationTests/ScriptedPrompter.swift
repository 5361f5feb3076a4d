internal import CofferCrypto
internal import Foundation
internal import LocalAuthentication
internal import Synchronization

/// A prompter with prepared answers that records the questions.
final class ScriptedPrompter: AuthenticationPrompter {
  enum Answer: Sendable {
    case typed(String)
    case cancelled
    case unavailable
    /// No answer; the question stays open until it is withdrawn.
    case silence
  }

  private let answers: Mutex<[Answer]>
  private let asked = Mutex<[AuthenticationRequest]>([])

  init(_ answers: Answer...) { self.answers = Mutex(answers) }

  var requests: [AuthenticationRequest] { asked.withLock { $0 } }

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    asked.withLock { $0.append(request) }
    switch answers.withLock({ $0.isEmpty ? .unavailable : $0.removeFirst() }) {
    case .typed(let text): return .passphrase(Passphrase(text))
    case .cancelled: return .cancelled
    case .unavailable: return .unavailable
    case .silence:
      while !request.isCancelled { usleep(1000) }
      return .cancelled
    }
  }
}

extension Passphrase {
  convenience init(_ text: String) {
    var bytes = Array(text.utf8)
    self.init(moving: &bytes)
  }

  /// The text that was typed.
  var text: String { unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension AuthenticationAnswer {
  /// The text that was typed; nil if none was.
  var text: String? {
    guard case .passphrase(let passphrase) = self else { return nil }
    return passphrase.text
  }

  var isCancelled: Bool {
    guard case .cancelled = self else { return false }
    return true
  }

  var isUnavailable: Bool {
    guard case .unavailable = self else { return false }
    return true
  }
}
