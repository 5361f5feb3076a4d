internal import Coffer
package import CofferCrypto
package import CofferFormat
package import CofferVault

extension InvitationCode {
  /// Reads a code as a person has typed it. Case, spaces and hyphens are ignored, and the prefix may be left out.
  /// Throws `authenticationFailed` if the text is no code, or its checksum does not match. The messages differ, and
  /// neither contains the text.
  package static func typed(_ text: SecretText) throws(VaultError) -> InvitationCode {
    do throws(InvitationCode.ParseError) {
      return try InvitationCode(parsing: text)
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the invitation's code is mistyped: its checksum does not match",
        recoverySuggestion: "compare it with the screen of the machine that invites")
    } catch {
      if !isMeant(by: text), let code = try? InvitationCode(parsing: withPrefix(text)) { return code }
      let isVaultKey = (try? VaultKey(parsing: text)) != nil
      throw VaultError(
        .authenticationFailed,
        isVaultKey ? "this is a vault key and not the code of an invitation" : "this is not the code of an invitation",
        recoverySuggestion: isVaultKey
          ? "to clone with the vault key, leave out --invite; nothing was sent"
          : "a code has the form \(prefix)-XXXX-… with twelve groups of four; make one with: coffer device invite")
    }
  }

  private static func withPrefix(_ text: SecretText) -> SecretText {
    SecretText(capacity: prefix.utf8.count + text.count) { whole in
      for character in prefix.utf8 { whole.append(character) }
      unsafe text.withBytes { bytes in
        for index in bytes.indices { whole.append(unsafe bytes[index]) }
      }
    }
  }
}
