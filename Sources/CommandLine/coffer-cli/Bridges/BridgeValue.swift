internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The value of an item, for a program that takes no other than a line or a text.
struct BridgeValue {
  private let bytes: Data
  /// The item, and who cannot take it otherwise.
  private let item: String
  private let client: String
  /// Stores another value for the item.
  private let command: String

  init(_ bytes: Data, of service: String, _ account: String, for client: String) {
    self.bytes = bytes
    item = "the value of \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())"
    self.client = client
    command = "coffer set \(service.shellWord) \(account.shellWord)"
  }

  /// Returns a line without the newline at its end. Throws `invalidArgument` if it is none, or is too long.
  func line(maximumByteCount: Int = .max) throws(VaultError) -> Data {
    var line = bytes
    if line.last == 10 { line.removeLast() }
    if line.contains(10) || line.contains(13) { throw refusal("has several lines") }
    if line.contains(0) { throw refusal("has a NUL") }
    guard line.count <= maximumByteCount else { throw refusal("has more than \(maximumByteCount) bytes") }
    return line
  }

  /// Returns a text. Throws `invalidArgument` if it is not UTF-8.
  func text() throws(VaultError) -> String {
    guard let text = Self.text(bytes) else { throw notText }
    return text
  }

  /// Returns a line that is a text.
  func textLine() throws(VaultError) -> String {
    guard let text = Self.text(try line()) else { throw notText }
    return text
  }

  /// The error for a value that the other program cannot take, with the reason.
  func refusal(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(item) \(reason), which \(client) cannot take",
      recoverySuggestion: "store another value for it with: \(command)")
  }

  private var notText: VaultError { refusal("is not UTF-8") }

  private static func text(_ bytes: Data) -> String? { String(validating: bytes, as: UTF8.self) }
}

extension ActorOptions {
  /// Opens the vault for another program that asks for a password: with the owner's own group only, if neither an app
  /// nor a group is named and that group exists. The program gets values with `show`, as who reads what a command
  /// prints.
  func openForBridge(
    for use: GroupUse, group: String?, to purpose: KeyPurpose = .use
  ) throws(VaultError) -> Vault {
    if group == nil, let own = try openOwnGroup(for: use, to: purpose) { return own }
    return try open(for: use, to: purpose, printsState: false)
  }

  /// Whether this machine has no vault yet, and so none of the passwords that another program looks for.
  func isVaultAbsent() throws(VaultError) -> Bool {
    guard VaultLocation.headlessCredential() == nil else { return false }
    return try VaultFolder(.standard()).isAbsent
  }

  /// Returns the value of a generic password, for another program. Throws `itemNotFound` if there is none.
  func valueForBridge(of service: String, _ account: String, group: String?) throws(VaultError) -> Data {
    let vault = try openForBridge(for: .reading(group), group: group, to: .show)
    if let value = try vault.value(for: GenericPassword(service: service, account: account), in: group) { return value }
    throw VaultError(
      .itemNotFound, "there is no item \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())",
      recoverySuggestion: "store it with: coffer set \(service.shellWord) \(account.shellWord)")
  }

  /// Deletes a generic password, for another program. Returns whether there was one. Throws `invalidArgument` if
  /// several groups have it, because the other program knows of none.
  func deleteForBridge(_ service: String, _ account: String, group: String?) throws(VaultError) -> Bool {
    let vault = try openForBridge(for: .changing(group), group: group)
    let item = GenericPassword(service: service, account: account)
    let found = try vault.list(ItemQuery<GenericPassword>(in: group).naming(item)).items
    guard found.count < 2 else {
      throw VaultError(
        .invalidArgument, "several groups have \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())",
        recoverySuggestion:
          "delete one of them with: coffer delete \(service.shellWord) \(account.shellWord) --group GROUP")
    }
    return try found.first.map { found throws(VaultError) in try vault.delete(found.item, in: found.accessGroup) }
      ?? false
  }
}

extension Vault {
  /// Checks that a write of a password for a client does not replace what somebody else has stored under its names, as
  /// the label says. Throws `invalidArgument` otherwise.
  func checkIsFree(
    _ item: GenericPassword, in group: String?, for client: String, where isOthers: (String?) -> Bool
  ) throws(VaultError) {
    let ownGroup = try defaultAccessGroup
    let query = ItemQuery<GenericPassword>(in: group ?? ownGroup).naming(item)
    guard let found = try list(query).items.first, isOthers(found.item.label) else { return }
    let names = "\(item.service.shellWord) \(item.account.shellWord)" + (group.map { " --group \($0.shellWord)" } ?? "")
    throw VaultError(
      .invalidArgument,
      "\(item.service.sanitizedForTerminal()), \(item.account.sanitizedForTerminal()) is an item that \(client) has not stored; nothing was changed",
      recoverySuggestion:
        "rename it with `coffer edit \(names) --service NAME`, or delete it with `coffer delete \(names)`, then try again"
    )
  }
}

struct BridgeAnsibleCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "ansible", abstract: "Answer ansible, which runs this for the password of a vault of its own.",
    discussion: """
      Prints the generic password `ansible-vault` with the vault ID as its account. Exits with 2 if there is none, as \
      ansible expects.
      """)
  @Option(help: ArgumentHelp("The vault ID.", valueName: "id"))
  var vaultID = "default"
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "ansible, ansible-vault"
  private static let service = "ansible-vault"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    // The end of the name tells ansible to give the vault ID.
    let program = installation.program("coffer-ansible-client")
    let file = UserFile.named(by: "ANSIBLE_CONFIG", or: .home(".ansible.cfg"))
    var entry = installation.entry("vault_password_file", program.path, table: "defaults", in: file)
    // ansible reads the first file that exists, and no other.
    if file.path == UserFile.home(".ansible.cfg").path { entry.hidden = UserFile(path: "/etc/ansible/ansible.cfg") }
    return [program, entry]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    ["Store the password with: coffer set \(service) default"]
  }

  func run() throws {
    do throws(VaultError) {
      try Terminal.write(actor.valueForBridge(of: Self.service, vaultID, group: group.group))
    } catch  where error.code == .itemNotFound {
      Terminal.printError(error.description)
      throw ExitCode(2)
    } catch  where error.code == .invalidArgument {
      // Its own exit code is 2 too, which is for a password that does not exist.
      Terminal.printError(error.description)
      throw ExitCode(1)
    }
  }
}
