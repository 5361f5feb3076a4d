internal import CofferAgent
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault

/// An author's keys in the memory of this process.
package struct HeldKeys: AuthorKeys {
  package let author: AuthorID
  private let keys: PartyKeys

  package init(_ keys: PartyKeys, of author: AuthorID) {
    self.author = author
    self.keys = keys
  }

  package func verificationKey(of group: GroupID) -> SymmetricKey? {
    Hash.key(from: keys.secret, domain: .verifiedKey).key(from: group.raw, domain: .verifiedGroup)
  }

  package func groupSecrets(of group: RegisteredGroup) throws(VaultError) -> [UInt32: SecretBytes] {
    do throws(CryptoError) {
      return try group.keys(for: author, opening: keys.agreement).reduce(into: [:]) { $0[$1.generation] = $1.secret }
    } catch {
      throw VaultError(
        .integrity, "the keys of \(group.name) do not open: their log entry was altered, or made for other keys",
        recoverySuggestion:
          "check the log with `coffer log --verify`; if it is sound, give the app a new credential with `coffer app install`"
      )
    }
  }

  package func sign(_ record: UnsignedRecord) throws(VaultError) -> Signature { record.signature(by: keys.signing) }
}
