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

  private static let recoverySuggestion =
    "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or choose --no-passphrase"

  /// Returns the protection if nobody has to be asked for it: none, or a passphrase from a file; else nil. Throws if
  /// somebody has to be asked and no terminal exists.
  func protectionWithoutPrompt() throws(VaultError) -> AdminProtection? {
    if noPassphrase { return AdminProtection.none }
    if let path = passphrase.path {
      return .passphrase(try SecretInput.file(path, limit: 1024, what: "passphrase"))
    }
    try Terminal.checkCanAsk(for: "a passphrase", otherwise: Self.recoverySuggestion)
    return nil
  }

  /// Reads the new passphrase, from a file or typed twice at a prompt.
  func protection() throws(VaultError) -> AdminProtection {
    if let protection = try protectionWithoutPrompt() { return protection }
    let recoverySuggestion = Self.recoverySuggestion
    let first = try Terminal.askHidden(
      "New passphrase for this machine", for: "a passphrase", otherwise: recoverySuggestion)
    guard !first.isEmpty else {
      throw VaultError(
        .invalidArgument, "the passphrase is empty", recoverySuggestion: "choose --no-passphrase if you want none")
    }
    guard try Terminal.askHidden("Once more", for: "a passphrase", otherwise: recoverySuggestion) == first else {
      throw VaultError(
        .invalidArgument, "the two passphrases differ; nothing was changed", recoverySuggestion: "try again")
    }
    return .passphrase(first)
  }
}
