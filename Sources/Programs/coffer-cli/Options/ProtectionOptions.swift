internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferVault

/// The protection of a new machine's admin keys.
struct ProtectionOptions: ParsableArguments {
  @Flag(help: "Store this machine's admin keys without a passphrase: whoever reads your files can change membership.")
  var noPassphrase = false

  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if noPassphrase && passphrase.passphraseFile != nil {
      throw ValidationError("--no-passphrase and --passphrase-file exclude each other")
    }
  }

  /// Reads the new passphrase, from a file or typed twice at a prompt.
  func protection() throws(VaultError) -> AdminProtection {
    if noPassphrase { return .none }
    return .passphrase(
      try NewPassphrase.read(
        passphrase.path, ifEmpty: "choose --no-passphrase if you want none",
        otherwise: "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or choose --no-passphrase"))
  }
}
