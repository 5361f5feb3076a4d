internal import ArgumentParser
internal import Coffer
internal import Foundation

/// The two names that make a generic password unique in its group.
struct PasswordArguments: ParsableArguments {
  @Argument(help: "What the password is for.")
  var service: String
  @Argument(help: "Whose it is.")
  var account: String

  var password: GenericPassword { GenericPassword(service: service, account: account) }

  /// The error where there is none.
  var notFound: VaultError {
    VaultError(
      .itemNotFound, "there is no such item in the groups searched", mend: "see what there is with: coffer list")
  }
}

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Write an item, new or not.",
    discussion: """
      The value is read from standard input, byte for byte (so use printf rather than echo), or asked for on the terminal. \
      It is on disk when the command returns.
      """)
  @OptionGroup var names: PasswordArguments
  @Option(help: "What people see in lists.")
  var label: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let vault = try actor.open()
    // Before the value is asked for: nobody should type a secret for nothing.
    try vault.checkWritable(group.group)
    var password = names.password
    password.label = label
    try vault.set(try SecretInput.value(named: "\(names.service), \(names.account)"), for: password, in: group.group)
  }
}

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print an item's value.",
    discussion: "The value goes to standard output as it is; a newline follows only on a terminal.")
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    guard let value = try actor.open().value(for: names.password, in: group.group) else { throw names.notFound }
    try Terminal.write(value + (Terminal.isOutput ? Data("\n".utf8) : Data()))
  }
}

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete an item.")
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let vault = try actor.open()
    if actor.app == nil { try vault.checkWritable(group.group) }
    guard try vault.delete(names.password, in: group.group) else { throw names.notFound }
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List items by their attributes; values stay closed.")
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    let group: String
    let service: String
    let account: String
    let label: String?
    let created: Date
    let modified: Date
    let writerApplication: String?
    let writerDevice: String
    let hasConflict: Bool
  }

  func run() throws {
    let list = try actor.open().list(GenericPassword.self, in: group.group)
    let items = list.items.sorted {
      ($0.group, $0.item.service, $0.item.account) < ($1.group, $1.item.service, $1.item.account)
    }
    if json {
      try Output.json(
        items.map {
          Row(
            group: $0.group, service: $0.item.service, account: $0.item.account, label: $0.item.label,
            created: $0.created, modified: $0.modified, writerApplication: $0.writer.application,
            writerDevice: $0.writer.device, hasConflict: $0.hasConflict)
        })
    } else if !items.isEmpty {
      try Output.table(
        [["GROUP", "SERVICE", "ACCOUNT", "LABEL", "MODIFIED", "WRITTEN BY"]]
          + items.map {
            [
              $0.group, Output.cell($0.item.service), Output.cell($0.item.account),
              Output.cell($0.item.label ?? "-"), Output.date($0.modified),
              "\($0.writer.application ?? "owner") on \($0.writer.device)\($0.hasConflict ? " (conflict)" : "")",
            ]
          })
    } else if Terminal.isOutput {
      Terminal.note("no items")
    }
    for damage in list.damaged { Terminal.complain(damage.description) }
    if let first = list.damaged.first { throw ExitCode(first.exitCode) }
  }
}
