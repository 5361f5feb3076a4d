import CofferVault
import Testing

@testable import CofferInspectProgram

@Suite struct PassphraseLimitTests {
  private func attempt(_ limit: PassphraseLimit, _ code: VaultError.Code?) -> VaultError.Code? {
    do throws(VaultError) {
      try limit.attempt { () throws(VaultError) in if let code { throw VaultError(code, "test") } }
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `After five wrong passphrases in a row, no other one is tried`() {
    let limit = PassphraseLimit()
    for _ in 1...4 { #expect(attempt(limit, .authenticationFailed) == .authenticationFailed) }
    #expect(attempt(limit, .io) == .io)
    #expect(!limit.isReached)
    #expect(attempt(limit, nil) == nil)
    for _ in 1...5 { #expect(attempt(limit, .authenticationFailed) == .authenticationFailed) }
    #expect(limit.isReached)
    #expect(attempt(limit, nil) == .locked)
  }
}
