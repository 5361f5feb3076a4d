package import CofferCrypto
package import CofferFormat
package import CofferVault

extension VaultKey {
  /// Reads a key as a person has typed it. Case, spaces and hyphens are ignored. Throws `authenticationFailed` if the
  /// text is no vault key, or its checksum does not match. The messages differ, and neither contains the text.
  package static func typed(_ text: SecretText) throws(VaultError) -> VaultKey {
    do throws(VaultKey.ParseError) {
      return try VaultKey(parsing: text)
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the vault key is mistyped: its checksum does not match",
        recoverySuggestion: "compare it with what you wrote down")
    } catch {
      guard !InvitationCode.isMeant(by: text) else {
        throw VaultError(
          .authenticationFailed, "this is the code of an invitation and not a vault key",
          recoverySuggestion: "to clone with it, run: coffer clone --invite URL")
      }
      throw VaultError(
        .authenticationFailed, "this is not a vault key",
        recoverySuggestion: "a vault key has the form COFFER1-XXXX-… with eight groups of four")
    }
  }
}
