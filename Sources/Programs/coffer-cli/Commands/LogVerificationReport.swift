internal import Coffer
internal import CofferAdministration
internal import CofferVault

/// The output of `coffer log --verify --json`.
struct LogVerificationReport: Encodable {
  struct Problem: Encodable {
    let message: String
    let recoverySuggestion: String?
  }
  let verifiedCount: Int
  let entryCount: Int
  let headPhrase: String
  let isSound: Bool
  let firstInvalidEntry: Int?
  let problems: [Problem]

  init(_ result: LogVerification) {
    verifiedCount = result.verifiedCount
    entryCount = result.entryCount
    headPhrase = result.headPhrase
    isSound = result.isSound
    firstInvalidEntry = result.firstInvalidEntry
    problems = result.problems.map { Problem(message: $0.message, recoverySuggestion: $0.recoverySuggestion) }
  }
}
