internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct PassphraseChangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change this machine's passphrase.",
    discussion: """
      Programs that have the vault open continue. Keys of the owner's own groups that an earlier version of Coffer has left in open \
      files are sealed, too: the same passphrase can be given again for that. The keys under the passphrase stay the same: whoever has an older copy \
      of the vault's folder and knows the old passphrase can still use them.
      """)
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var new: NewPassphraseOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if new.forgotten { return try new.enrolAnew(local) }
    guard try local.hasPassphrase else {
      throw VaultError(
        .invalidArgument, "this machine has no passphrase", recoverySuggestion: "set one with: coffer passphrase set")
    }
    let given = try new.readFile()
    let change = try PassphraseChange.begin(local, current: passphrase.source(of: local))
    let sealed = try change.finish(given ?? new.read())
    try Output.line("The passphrase is changed.\(PassphraseSetCommand.words(for: sealed))")
  }
}
