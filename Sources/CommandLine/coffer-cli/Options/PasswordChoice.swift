internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The password that a command reads or replaces: by its names, with or without its class, or by its reference.
struct PasswordChoice: ParsableArguments {
  @Argument(
    help: "The service that the password is for, or the server of an internet password.",
    completion: .custom(VaultCompletion.services))
  var service: String?
  @Argument(
    help: "The account there. Default: none or, for an item that exists, the only account of the service.",
    completion: .custom(VaultCompletion.accounts))
  var account: String?
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "The class: generic-password or internet-password.", discussion: "Default: both are searched.",
      valueName: "class"))
  var kind: PasswordKind?
  @Option(
    help: ArgumentHelp("The item's reference, as `coffer show` prints it.", valueName: "reference"),
    transform: ItemReference.argument)
  var reference: [ItemReference]?

  /// The choice of a password by its names, without a command line.
  static func naming(_ service: String, _ account: String?, _ kind: PasswordKind? = nil) -> PasswordChoice {
    var choice = PasswordChoice()
    (choice.service, choice.account, choice.kind, choice.reference) = (service, account, kind, nil)
    return choice
  }

  /// Throws a `ValidationError` unless the arguments name a password in one way.
  func checkNames() throws {
    if reference != nil {
      guard service == nil, kind == nil else { throw ValidationError("--reference replaces the names and --class") }
    } else if service == nil {
      throw ValidationError("Missing expected argument '<service>'")
    }
  }

  /// Throws `invalidArgument` if all names are empty, with a suggestion.
  func checkNotEmpty(or suggestion: String) throws(VaultError) {
    guard reference == nil, ![service, account].contains(where: { $0?.isEmpty == false }) else { return }
    throw VaultError(
      .invalidArgument, "service and account are empty; nothing was changed", recoverySuggestion: suggestion)
  }

  /// Throws `invalidArgument` if a name of a new item is longer than lists can show.
  func checkLengths() throws(VaultError) {
    try Self.checkLength(of: service ?? "", "service")
    try Self.checkLength(of: account ?? "", "account")
  }

  /// Throws `invalidArgument` if a text is longer than the service, the account and the label of an item that a command
  /// creates may be. Apps may use longer ones.
  static func checkLength(of text: String, _ name: String) throws(VaultError) {
    let (count, limit) = (text.utf8.count, InspectedVault.maximumNameByteCount)
    guard count > limit else { return }
    throw VaultError(
      .invalidArgument, "the \(name) has \(count) bytes; nothing was changed",
      recoverySuggestion: "use at most \(limit) bytes for a service, an account and a label")
  }

  /// The generic password with the names; empty names if a reference is given.
  var genericPassword: GenericPassword { GenericPassword(service: service ?? "", account: account ?? "") }

  /// Whether the arguments say that the password exists: by its reference, or as an internet password, which commands
  /// do not create.
  var namesExisting: Bool { reference != nil || kind == .internet }

  /// Returns the passwords that the arguments name, of the first of the searched groups that has any: the generic
  /// password, or else internet passwords, of which a server can have several for one account. A reference can name
  /// several of both classes. Throws `integrity` if only damaged ones are found.
  func find(in vault: Vault, group: String?) throws(VaultError) -> [FoundPassword] {
    let found = try findAll(in: vault, group: group)
    guard let first = found.first else { return [] }
    // Generic passwords of a group with the same names differ only in whether they are synchronizable.
    return first.kind == .generic && reference == nil ? [first] : found.filter { $0.group == first.group }
  }

  /// Returns the passwords that the arguments name, of every group that is searched: generic passwords, or else
  /// internet passwords, in the order of the groups.
  func findAll(in vault: Vault, group: String?) throws(VaultError) -> [FoundPassword] {
    let generic = kind == .internet ? [] : try search(genericQueries(in: group), in: vault)
    guard generic.isEmpty, kind != .generic else { return generic }
    return try search(internetQueries(in: group), in: vault)
  }

  /// Returns the password that the arguments name or, if they name no account and no password has none, the only one of
  /// the service or server. Throws `itemNotFound` if there is none, and `invalidArgument` if there are several.
  ///
  /// Every command that takes one password that exists finds it here.
  func findOne(in vault: Vault, group: GroupOption, as actor: ActorOptions) throws(VaultError) -> FoundPassword {
    guard let found = try findOneOrNil(in: vault, group: group) else {
      throw notFound(in: vault, group: group, as: actor)
    }
    return found
  }

  /// The same, and nil if there is none.
  func findOneOrNil(in vault: Vault, group: GroupOption) throws(VaultError) -> FoundPassword? {
    guard let only = try onlyAccount(in: vault, group: group.group) else {
      let found = FoundPassword.preferringLogins(try find(in: vault, group: group.group))
      guard found.count < 2 else { throw Self.ambiguous(found) }
      return found.first
    }
    var named = self
    named.account = only
    let all = FoundPassword.preferringLogins(try named.findAll(in: vault, group: group.group))
    // Whoever names the account knows which item is meant, and gets that of the first group.
    let groups = Set(all.map(\.group)).sorted()
    guard groups.count < 2 else { throw severalGroups(groups, account: only) }
    guard all.count < 2 || all[0].kind == .generic else { throw Self.ambiguous(all) }
    return all.first
  }

  /// Returns the only account that has passwords of the service or server, if none is named and no password is without
  /// one; nil otherwise. Throws `invalidArgument` if there are several accounts.
  func onlyAccount(in vault: Vault, group: String?) throws(VaultError) -> String? {
    guard let service, account == nil, try find(in: vault, group: group).isEmpty else { return nil }
    let all = try FoundPassword.list(in: vault, group: group, place: service).passwords
    let found = Set(all.filter { $0.kind == kind ?? $0.kind }.map(\.account))
    guard found.count > 1 else { return found.first }
    throw VaultError(
      .invalidArgument, "\(Output.cell(service)) has \(found.count) accounts",
      recoverySuggestion: "name one: \(found.sorted().prefix(10).map(Output.cell).joined(separator: ", "))")
  }

  /// Returns the error for the only account of a service, of which several groups have a password.
  private func severalGroups(_ groups: [String], account: String) -> VaultError {
    let names = [service ?? "", account].map(Output.cell).joined(separator: " ")
    let commands = groups.prefix(10).map { "`\(NextCommand.same(adding: "--group", $0))`" }.joined(separator: " or ")
    return VaultError(
      .invalidArgument, "\(groups.count) access groups have a password of \(names)",
      recoverySuggestion: "name the group with \(commands)")
  }

  /// Returns the error for several passwords of one group with the same names, or with one reference: see
  /// `InspectedVault.details`. `advice` comes before their references.
  static func ambiguous(_ found: [FoundPassword], _ advice: String = "choose one with --reference") -> VaultError {
    guard Set(found.map(\.reference)).count == found.count else {
      return VaultError(
        .invalidArgument, "\(counted(found.count, "password")) in \(found[0].group) have this reference",
        recoverySuggestion: "name one: \(found.prefix(10).map { Output.cell($0.title) }.joined(separator: "; "))")
    }
    let list = found.prefix(10).map { "\($0.reference) (\(Output.cell($0.detail ?? "no protocol")))" }
    return VaultError(
      .invalidArgument, "\(counted(found.count, "internet password")) in \(found[0].group) have these names",
      recoverySuggestion: "\(advice): \(list.joined(separator: ", "))")
  }

  /// Returns the error if no such password exists in the groups that were searched, with a similar name if there is
  /// one.
  func notFound(in vault: Vault, group: GroupOption, as actor: ActorOptions) -> VaultError {
    let missing = PasswordArguments.notFound(in: group, as: actor)
    guard let service, let similar = try? similarNames(service, in: vault, group: group.group) else { return missing }
    let names = similar.map(Output.cell).joined(separator: ", ")
    return VaultError(
      missing.code, missing.message,
      recoverySuggestion: "did you mean \(names)? \(missing.recoverySuggestion.map { $0.startingSentence } ?? "")")
  }

  // MARK: Searching

  private func genericQueries(in group: String?) -> [ItemQuery<GenericPassword>] {
    let query = ItemQuery<GenericPassword>(in: group)
    return reference?.map { query.reference($0.persistent) }
      ?? [query.matching(.service, service ?? "").matching(.account, account ?? "")]
  }

  private func internetQueries(in group: String?) -> [ItemQuery<InternetPassword>] {
    let query = ItemQuery<InternetPassword>(in: group)
    return reference?.map { query.reference($0.persistent) }
      ?? [query.matching(.server, service ?? "").matching(.account, account ?? "")]
  }

  private func search<Item: PasswordItem>(
    _ queries: [ItemQuery<Item>], in vault: Vault
  ) throws(VaultError) -> [FoundPassword] {
    var items: [StoredItem<Item>] = []
    var damaged: [VaultError] = []
    for query in queries {
      let list = try vault.list(query)
      items += list.items
      damaged += list.damaged
    }
    if items.isEmpty, let first = damaged.first { throw first }
    let groups = Set(items.map(\.accessGroup)).count > 1 ? try vault.groupNames() : []
    func rank(_ item: StoredItem<Item>) -> (Int, Int) {
      (groups.firstIndex(of: item.accessGroup) ?? 0, item.item.isSynchronizable ? 1 : 0)
    }
    // Sorting is stable: items of one group stay in the order of their creation.
    return items.sorted { rank($0) < rank($1) }.map { FoundPassword($0) }
  }

  /// The number of items of each class whose names are compared with a mistyped one, so that an error takes no longer
  /// in a large vault.
  private static let comparedCount = 256

  /// Returns the names of a password that somebody may have meant: one whose names differ by a typing error in one of
  /// them, or are in the other order or in one word. Nil if there is none.
  private func similarNames(
    _ service: String, in vault: Vault, group: String?
  ) throws(VaultError) -> [String]? {
    if let account {
      if try Self.naming(account, service).exists(in: vault, group: group) { return [account, service] }
      return try similarName(service, account, in: vault, group: group)
    }
    for (place, account) in Self.partsOfWord(service) {
      let choice = Self.naming(place, account)
      let found = if account == nil { try choice.onlyAccount(in: vault, group: group) } else { account }
      guard let found else {
        if try choice.exists(in: vault, group: group) { return [place] }
        continue
      }
      if try Self.naming(place, found).exists(in: vault, group: group) { return [place, found] }
    }
    let services = try FoundPassword.list(in: vault, group: group, limit: Self.comparedCount).passwords.map(\.place)
    return EditDistance.nearest(to: service, in: Array(Set(services)).sorted()).map { [$0] }
  }

  private func exists(in vault: Vault, group: String?) throws(VaultError) -> Bool {
    try !findAll(in: vault, group: group).isEmpty
  }

  /// Returns the names that a word may stand for: `service/account`, `account@service` or the address of a page.
  private static func partsOfWord(_ word: String) -> [(place: String, account: String?)] {
    var parts: [(place: String, account: String?)] = []
    let address = word.prefixMatch(of: /[a-z][a-z0-9+.-]*:\/\/(?:([^\/@]*)@)?([^\/:@]+)/)?.output
    if let address { parts.append((String(address.2), address.1.map(String.init))) }
    if address == nil, let slash = word.lastIndex(of: "/") {
      parts.append((String(word[..<slash]), String(word[word.index(after: slash)...])))
    }
    if address == nil, let at = word.lastIndex(of: "@") {
      parts.append((String(word[word.index(after: at)...]), String(word[..<at])))
    }
    return parts
  }

  /// Returns the names of a password that differ by a typing error in one of the two; nil if there is none.
  private func similarName(
    _ service: String, _ account: String, in vault: Vault, group: String?
  ) throws(VaultError) -> [String]? {
    // Each of these searches uses the store's index.
    func similar(place: String?, account: String?) throws(VaultError) -> [FoundPassword] {
      try FoundPassword.list(in: vault, group: group, place: place, account: account, limit: Self.comparedCount)
        .passwords
    }
    let accounts = try similar(place: service, account: nil).map(\.account)
    if let similar = EditDistance.nearest(to: account, in: accounts) { return [service, similar] }
    let services = try similar(place: nil, account: account).map(\.place)
    return EditDistance.nearest(to: service, in: services).map { [$0, account] }
  }
}

extension ItemReference {
  /// The references that the argument of an option can mean, at least one.
  static func argument(_ text: String) throws -> [ItemReference] {
    let found = references(argument: text)
    guard !found.isEmpty else {
      throw ValidationError("a reference has 32 hexadecimal digits, with or without a class before them: genp/…")
    }
    return found
  }
}

/// A class of passwords, as `--class` of the commands names it that take two names.
enum PasswordKind: String, CaseIterable, ExpressibleByArgument {
  case generic = "generic-password"
  case `internet` = "internet-password"

  /// Takes the class as JSON names it, and its first word.
  init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == argument || $0.rawValue == argument + "-password" })
    else { return nil }
    self = kind
  }
}

/// The names that identify a generic password in its group: without an account, the only one of its service.
struct PasswordArguments: ParsableArguments {
  @Argument(help: "The service that the password is for.", completion: .custom(VaultCompletion.services))
  var service: String
  @Argument(
    help: "The account at the service. Default: none, or the only account of the service.",
    completion: .custom(VaultCompletion.accounts))
  var account: String?

  /// Returns the error if no such password exists in the group, or in the groups, that were searched.
  static func notFound(in group: GroupOption, as actor: ActorOptions) -> VaultError {
    VaultError(
      .itemNotFound, "there is no such item in the groups searched",
      recoverySuggestion: "list the items with: \(NextCommand.line("list", app: actor.app, group: group.group))")
  }
}
