internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// One access group.
struct GroupOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The access group, by its full name or without the team prefix.",
      discussion: "Default: all groups for searches; with --app, the app's default group for writes.",
      valueName: "group"), completion: .custom(VaultCompletion.groups))
  var group: String?

  /// Returns the group to write to. Throws `invalidArgument` if none is named and there is no default.
  func destination(in vault: Vault) throws(VaultError) -> String {
    let named: String? = if let group { group } else { try vault.defaultAccessGroup }
    guard let named else {
      throw VaultError(.invalidArgument, "no access group is named", recoverySuggestion: "name one with --group")
    }
    return named
  }
}

/// What a shell offers for a word of a command line, from the vault. Nobody is asked for anything, no repository is
/// read, and no agent is used: a vault that needs one of them offers nothing.
enum VaultCompletion {
  private static let limit = 1_000

  @Sendable static func references(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    offered(passwords(words).compactMap { $0.secretReference?.text }, prefix)
  }

  @Sendable static func services(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    offered(passwords(words).map(\.place), prefix)
  }

  /// The accounts of the service that is the word before.
  @Sendable static func accounts(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard index > 0, words.indices.contains(index - 1) else { return [] }
    let service = words[index - 1]
    return offered(passwords(words).filter { $0.place == service }.map(\.account), prefix)
  }

  @Sendable static func groups(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let groups = membership?.groups.values.map(\.name) ?? []
    return offered(groups.map(\.description), prefix)
  }

  /// The groups that a person has created, without the team's prefix.
  @Sendable static func ownGroups(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    offered(membership?.apps.values.compactMap(PersonalApp.furtherGroups).flatMap(\.self) ?? [], prefix)
  }

  @Sendable static func apps(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    offered((membership?.apps.keys).map { $0.map(\.bundleID.description) } ?? [], prefix)
  }

  /// Returns the words that begin as what was typed, and that no shell expands: bash runs commands in the words that it
  /// is offered, and any app that may write an item chooses its names.
  private static func offered(_ words: [String], _ prefix: String) -> [String] {
    let plain = Set(words).filter { word in
      word.hasPrefix(prefix) && word.wholeMatch(of: /[A-Za-z0-9_%][A-Za-z0-9_%.:@+,=\/-]*/) != nil
    }
    return Array(plain.sorted().prefix(limit))
  }

  private static var membership: Membership? { try? local?.publishedMembership() }

  private static var local: LocalVault? {
    guard VaultLocation.headlessCredential() == nil else { return nil }
    return try? LocalVault.open(VaultFolder(.standard()))
  }

  private static func passwords(_ words: [String]) -> [FoundPassword] {
    guard let vault = vault(words) else { return [] }
    return (try? FoundPassword.list(in: vault, group: nil).passwords) ?? []
  }

  /// Opens the vault with the rights that the command will have, if nobody has to be asked.
  private static func vault(_ words: [String]) -> Vault? {
    guard let local else { return nil }
    let actor = ActorOptions.acting(
      as: words.firstIndex(of: "--app").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil })
    guard let app = actor.app else {
      return local.ownerKeyProtection == .open ? try? actor.open(for: .reading(nil), to: .use) : nil
    }
    guard let vault = try? Vault.open(applicationNamed: app, in: local.folder).vault, !vault.isLocked else {
      return nil
    }
    return vault
  }
}

/// Whether a change of membership waits for entries of the log that another machine has seen.
struct ClaimOptions: ParsableArguments {
  @Flag(
    name: .customLong("despite-claims"),
    help: ArgumentHelp(
      "Change membership although another machine has seen entries of the membership log that this one lacks.",
      discussion: "For a machine that cannot be trusted. If it is right, the log forks."))
  var allowsLogFork = false
}

/// The rights of this machine's owner, for commands that no app may use.
struct OwnerOptions: ParsableArguments {
  @OptionGroup var passphrase: PassphraseOptions

  /// Opens the vault as the owner.
  func open() throws(VaultError) -> Vault {
    let local = try LocalVault.open(VaultFolder(.standard()))
    return try Vault.open(
      asOwnerOf: local, passphrase: passphrase.source(of: local), keeper: passphrase.agent(for: .use))
  }
}
