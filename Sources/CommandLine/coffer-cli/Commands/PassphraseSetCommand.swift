internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct PassphraseSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Protect the keys of a machine that has no passphrase.",
    discussion: """
      For a machine whose vault was created or cloned with --no-passphrase. It then protects the owner's keys, and the keys of the \
      owner's own groups: what `coffer set` stores without a group, and what programs of the desktop store. `coffer unlock` \
      asks once for all commands. The keys of other apps stay as they are: see `coffer app add --locked`.

      All keys stay the same: whoever has an older copy of the vault's folder, such as a backup, needs no passphrase to use them.
      """)
  @OptionGroup var new: NewPassphraseOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    if new.forgotten { return try new.enrolAnew(local) }
    guard try !local.hasPassphrase else {
      throw VaultError(
        .invalidArgument, "this machine has a passphrase",
        recoverySuggestion: "change it with: coffer passphrase change; if it is forgotten, add --forgotten")
    }
    let sealed = try PassphraseChange.begin(local, current: .unavailable).finish(try new.read())
    try Output.line("The passphrase is set.\(Self.words(for: sealed))")
  }

  /// A sentence about the apps whose keys a new passphrase protects; empty for none.
  static func words(for sealed: [ApplicationID]) -> String {
    sealed.isEmpty
      ? "" : " It protects the keys of \(sealed.map(\.bundleID.description).sorted().joined(separator: ", ")), too."
  }
}
