internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferTerminal
internal import CofferVault

/// The protection of a new machine's keys.
struct ProtectionOptions: ParsableArguments {
  @Flag(
    help:
      "Store this machine's keys without a passphrase: whoever reads the files of an admin's machine can change membership."
  )
  var noPassphrase = false

  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if noPassphrase && passphrase.passphraseFile != nil {
      throw ValidationError("--no-passphrase and --passphrase-file exclude each other")
    }
  }

  private static let otherwise =
    "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or choose --no-passphrase"

  /// Returns the protection if nobody has to be asked for it: none, or a passphrase from a file; else nil. Throws if
  /// somebody has to be asked and no terminal exists.
  func protectionWithoutPrompt() throws(VaultError) -> AdminProtection? {
    if noPassphrase { return AdminProtection.none }
    if passphrase.path != nil { return try passphraseProtection() }
    try Terminal.checkCanAsk(for: "a passphrase", otherwise: Self.otherwise)
    return nil
  }

  /// Reads the new passphrase, from a file or typed twice at a prompt.
  func protection() throws(VaultError) -> AdminProtection {
    if let protection = try protectionWithoutPrompt() { return protection }
    return try passphraseProtection()
  }

  private func passphraseProtection() throws(VaultError) -> AdminProtection {
    .passphrase(
      try NewPassphrase.read(
        passphrase.path, ifEmpty: "choose --no-passphrase if you want none", otherwise: Self.otherwise))
  }
}
