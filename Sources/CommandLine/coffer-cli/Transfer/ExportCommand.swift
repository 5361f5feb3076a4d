internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault

struct ExportCommand: ParsableCommand {
  /// A format that another program reads.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case json, cxf, csv, pass
  }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the items to a file that other programs read.",
    discussion: """
      json has all items of all classes with all attributes but their dates and references, and `coffer import json` reads \
      them again. cxf is FIDO's \
      Credential Exchange Format, without its encryption: passwords, notes, one-time codes, and the passkeys that were \
      imported. csv has passwords with their notes and one-time codes. These files are plain text, with mode 0600, and the \
      command asks first. pass is the folder of a store, whose files gpg encrypts.

      Without --group, all groups that the owner or the app reads. What is left out is named. If that is a damaged item, the \
      exit code is 6; if an item that an app protects, or a password that pass would misread, 1.

      coffer export json items.json
      coffer export pass ~/.password-store
      """)
  @Argument(help: ArgumentHelp("The format.", valueName: "format"))
  var format: Format
  @Argument(
    help: ArgumentHelp(
      "The file, which is replaced completely or not at all; for pass, the folder.", valueName: "path"),
    completion: .file())
  var path: String
  @Flag(help: "Write secrets in plain text without asking.")
  var yes = false
  @Option(help: ArgumentHelp("For pass: the key of gpg for a new store.", valueName: "key"))
  var recipient: String?
  @OptionGroup var output: ReportOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    guard !path.hasPrefix("-") else {
      throw ValidationError("name a file; secrets are not exported to standard output or to a terminal")
    }
    if recipient != nil, format != .pass { throw ValidationError("--recipient is for pass") }
    if recipient?.hasPrefix("-") == true { throw ValidationError("--recipient takes a key of gpg") }
  }

  func run() throws {
    let vault = try actor.open(for: .reading(group.group))
    if format != .pass, !yes {
      try Confirmation.ask(after: [
        "\(Output.cell(path)) will have secrets in plain text: every program of your account can read them."
      ])
    }
    var skipped: [ImportReport.Skipped] = []
    func skip(_ name: String, _ reason: String) { skipped.append(ImportReport.Skipped(name: name, reason: reason)) }
    let items = try ExportedItem.all(in: vault, group: group.group, skip: skip)
    // What the vault does not give out: that a format has no place for something is no error.
    let withheld = skipped.map(\.reason)
    let entries = ExportedEntry.all(items)
    var renamed: [(name: String, path: String)] = []
    var isComplete = withheld.isEmpty
    let count: Int
    if let file = ExportFormat(rawValue: format.rawValue) {
      try ReplacedFile.write(file.bytes(of: entries, in: vault, skip: skip), to: path)
      count = file.count(of: entries)
    } else {
      let store: PasswordStoreExport
      (count, store) = try writeStore(entries, of: items, skip)
      renamed = store.renamed
      isComplete = isComplete && store.isComplete
    }
    try report(count, skipped, renamed)
    guard !withheld.contains(ExportedItem.damage) else { throw ExitCode(6) }
    guard isComplete else { throw ExitCode.failure }
  }

  private func writeStore(
    _ entries: [ExportedEntry], of items: [ExportedItem], _ skip: (String, String) -> Void
  ) throws -> (count: Int, store: PasswordStoreExport) {
    var store = try PasswordStoreExport(
      opening: path, recipient: recipient, hasGroupFolders: Set(items.map(\.group)).count > 1)
    let meter = CountMeter("exporting", "entries")
    defer { meter.finish() }
    var count = 0
    for (done, entry) in entries.enumerated() {
      count += try store.write(entry, skip: skip)
      meter.show(done + 1, of: entries.count)
    }
    return (count, store)
  }

  private func report(
    _ count: Int, _ skipped: [ImportReport.Skipped], _ renamed: [(name: String, path: String)]
  ) throws {
    if output.json {
      return try Output.json(object: [
        "format": format.rawValue, "path": path, "exportedCount": count,
        "skipped": skipped.map { JSONObject(dictionaryLiteral: ("name", $0.name), ("reason", $0.reason)) },
        "renamed": renamed.map { JSONObject(dictionaryLiteral: ("name", $0.name), ("path", $0.path)) },
      ])
    }
    for item in skipped { try Output.line(Output.cell("skipped: \(item.name): \(item.reason)")) }
    for file in renamed { try Output.line(Output.cell("renamed: \(file.name): \(file.path)")) }
    let noun = format == .csv || format == .pass ? ("entry", "entries") : ("item", "items")
    try Output.line("\(counted(count, noun.0, noun.1)) exported, \(skipped.count) skipped")
  }
}
