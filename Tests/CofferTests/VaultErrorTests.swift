import Coffer
import Foundation
import Testing

/// Imports only what an app imports.
@Suite struct VaultErrorTests {
  private let error = VaultError(.locked, "the vault is locked for Photo", recoverySuggestion: "unlock it")

  @Test func `An app creates errors of its own and reads their parts`() {
    #expect(error.code == .locked && error.message == "the vault is locked for Photo")
    #expect(error.recoverySuggestion == "unlock it" && error.osStatus == -25308)
    #expect(error.description == "the vault is locked for Photo; unlock it")
    let plain = VaultError(.io, "the disk failed")
    #expect(plain.recoverySuggestion == nil && plain.description == "the disk failed")
  }

  @Test func `Foundation shows the message, the reason and the recovery suggestion`() {
    let shown: any Error = error
    #expect(shown.localizedDescription == "the vault is locked for Photo")
    let localized = shown as? any LocalizedError
    #expect(localized?.errorDescription == "the vault is locked for Photo")
    #expect(localized?.failureReason == "The vault or the item is locked.")
    #expect(localized?.recoverySuggestion == "unlock it")
  }

  @Test func `An error bridges to NSError with Apple's status and all texts`() {
    let bridged = error as NSError
    #expect(bridged.domain == "Coffer.VaultError" && bridged.code == -25308)
    #expect(bridged.localizedDescription == "the vault is locked for Photo")
    #expect(bridged.localizedFailureReason == "The vault or the item is locked.")
    #expect(bridged.localizedRecoverySuggestion == "unlock it")
    let plain = VaultError(.io, "the disk failed") as NSError
    #expect(plain.localizedRecoverySuggestion == nil)
  }
}
