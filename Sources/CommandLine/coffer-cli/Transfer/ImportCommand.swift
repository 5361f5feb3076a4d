internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferTrust
internal import CofferVault

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import the passwords of another program.",
    discussion: """
      Sources: pass, gopass and passage (the folder of a store); keepassxc (its export as XML or CSV); bitwarden (JSON, \
      plain or with a password); csv of Chrome, Firefox, Apple Passwords; cxf (FIDO's exchange format); 1password (1pux); \
      secret-service (one that runs); security-dump (the output of security dump-keychain -d); dotenv; json (of coffer \
      export).

      An entry with a web address becomes an internet password, and any other a generic password. Notes, one-time codes, \
      attachments and everything else become items beside it: SERVICE:notes, SERVICE:otp and so on. All items go to the group of --group, \
      or as --mapping says; by default to a group of your own, and those of secret-service to that of the desktop's \
      programs, where `coffer-secret-service` finds them.

      Each item is read back after it was written. A second run changes nothing, and finishes one that was interrupted. \
      Nothing is deleted at the source. If something was skipped, the exit code is 1.

      coffer import pass ~/.password-store --dry-run
      coffer import pass ~/.password-store
      coffer import keepassxc export.xml --write-mapping folders.json
      coffer import keepassxc export.xml --mapping folders.json
      """)
  @Argument(help: ArgumentHelp("The program or format.", valueName: "source"))
  var source: ImportSource
  @Argument(help: ArgumentHelp("The file or folder; none for secret-service.", valueName: "path"), completion: .file())
  var path: String?
  @Flag(help: "Show what would be imported, and change nothing.")
  var dryRun = false
  @Flag(help: "Replace an item of the vault that differs. Its earlier version stays in its history.")
  var replace = false
  @Flag(help: "Import an item beside one of the vault that differs, with a number after its account.")
  var keepBoth = false
  @Option(
    help: ArgumentHelp("Read from this file which group each folder's entries go to.", valueName: "file"),
    completion: .file())
  var mapping: String?
  @Option(
    help: ArgumentHelp("Write the source's folders to this file, to edit them for --mapping.", valueName: "file"),
    completion: .file())
  var writeMapping: String?
  @Option(
    help: ArgumentHelp("Read the password of a protected export from this file.", valueName: "file"),
    completion: .file())
  var passwordFile: String?
  @Option(
    help: ArgumentHelp(
      "For passage: the file with the secret keys of age. Default: identities beside the store.", valueName: "file"),
    completion: .file())
  var identities: String?
  @Option(help: ArgumentHelp("For dotenv: the service. Default: the name of the file's folder.", valueName: "text"))
  var service: String?
  @OptionGroup var output: ReportOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    if source.needsPath != (path != nil) {
      throw ValidationError(
        source.needsPath ? "name the file or folder of \(source.rawValue)" : "\(source.rawValue) takes no path")
    }
    if replace && keepBoth { throw ValidationError("--replace excludes --keep-both") }
    if writeMapping != nil, mapping != nil || dryRun || replace || keepBoth {
      throw ValidationError("--write-mapping imports nothing, and takes no option for an import")
    }
    if identities != nil, source != .passage { throw ValidationError("--identities is for passage") }
    if service != nil, source != .dotenv { throw ValidationError("--service is for dotenv") }
    if path?.hasPrefix("-") == true { throw ValidationError("write ./ before a path that begins with a hyphen") }
  }

  func run() throws {
    guard writeMapping == nil else { return try writeFolders() }
    let folders =
      try mapping.map { path throws(VaultError) in try FolderMapping(reading: path, group: group.group) }
      ?? FolderMapping(group: group.group)
    let answer = answer
    // A source that cannot be read leaves no new vault: before the first one, it is read twice.
    if !dryRun, try !VaultFolder(.standard()).exists { _ = try readFolders(answer) }
    let vault = try self.vault(for: folders.groups)
    let meter = CountMeter("importing", "entries")
    defer { meter.finish() }
    let showsItems = dryRun && !output.json
    let run = ImportRun(
      source: source, path: path, mapping: folders, vault: vault,
      defaultGroup: try vault.flatMap(Self.defaultGroup),
      rule: replace ? .replace : keepBoth ? .keepBoth : .skip, isDryRun: dryRun,
      progress: { done, total in meter.show(done, of: total) },
      observe: { item, outcome in if showsItems { try Self.show(item, outcome) } })
    let report = try run.finish { body in try ImportProgram.run(arguments(), answer: answer, body) }
    meter.finish()
    if output.json {
      try Output.json(object: report.json)
    } else {
      for line in report.lines { try Output.line(line) }
    }
    // `coffer import … && rm …` must not delete what only the source has.
    guard report.skipped.isEmpty else { throw ExitCode.failure }
  }

  private static func show(_ item: ImportedItem, _ outcome: ItemImporter.Outcome) throws(VaultError) {
    let word =
      switch outcome {
      case .new: "new"
      case .same: "same"
      case .changed: "replaces"
      // The report names it, with the reason.
      case .skipped: ""
      }
    guard !word.isEmpty else { return }
    let kind = ItemKind(item.draft.itemClass).argument
    try Output.line("\(word)  \(kind)  \(Output.cell(item.name))\(item.group.map { "  in \(Output.cell($0))" } ?? "")")
  }

  private func arguments(namesOnly: Bool = false) -> [String] {
    (namesOnly ? ["--names"] : []) + (identities.map { ["--identities", $0] } ?? [])
      + (service.map { ["--service", $0] } ?? []) + [source.rawValue] + (path.map { [$0] } ?? [])
  }

  /// Opens the vault with the right to write to the groups; nil if a dry run finds none.
  private func vault(for groups: [String?]) throws(VaultError) -> Vault? {
    let named = groups.compactMap(\.self)
    if isForDesktop(named, groups) {
      if dryRun {
        return try VaultFolder(.standard()).exists ? actor.open(.desktop, for: .reading(nil), to: .use) : nil
      }
      if let vault = try actor.openDesktopGroupForWriting() { return vault }
    }
    if dryRun {
      guard try VaultFolder(.standard()).exists else { return nil }
      let vault = try actor.open(for: named.isEmpty ? .reading(nil) : .readingEach(named), to: .use)
      // What the import itself would refuse.
      for group in named { try vault.check(.writing(group)) }
      if named.count < groups.count, try vault.defaultAccessGroup != nil { try vault.check(.writing(nil)) }
      return vault
    }
    guard !named.isEmpty else { return try actor.open(for: .writing(nil), to: .use) }
    // Folders without a group go where `coffer set` without one writes to.
    let needsOwnGroup = actor.isOwner && named.count < groups.count
    let source = needsOwnGroup ? try actor.registerOwnGroup() : nil
    let all = needsOwnGroup ? Set(named + [PersonalApp.bundleIdentifier]).sorted() : named
    let vault = try actor.open(for: .readingEach(all), to: .use, passphrase: source)
    for group in all { try vault.check(.writing(group)) }
    return vault
  }

  /// Whether all items go to the group of the desktop's programs: what these have kept in another Secret Service is for
  /// them.
  private func isForDesktop(_ named: [String], _ groups: [String?]) -> Bool {
    guard actor.isOwner, named.allSatisfy({ $0 == OwnApp.desktop.bundleIdentifier }) else { return false }
    return !named.isEmpty && named.count == groups.count || source == .secretService
  }

  /// Returns the group of items for which none is named; nil if it does not exist yet, in a dry run.
  private static func defaultGroup(of vault: Vault) throws(VaultError) -> String? {
    if let name = try vault.defaultAccessGroup { return name }
    let personal = try vault.local.publishedMembership().team.prefix + PersonalApp.bundleIdentifier
    return try vault.accessGroups.contains { $0.name == personal } ? personal : nil
  }

  /// Returns what `coffer-import` may ask for; nil for a source without a password. The words are not the program's: it
  /// has read a file that may have taken it over.
  private var answer: (() throws -> [UInt8])? {
    guard source == .bitwarden else { return nil }
    var known: [UInt8]?
    return {
      let password = try known ?? exportPassword()
      known = password
      return password
    }
  }

  private func exportPassword() throws -> [UInt8] {
    let password =
      if let passwordFile {
        try SecretInput.file(passwordFile, limit: 65_536, what: "password")
      } else {
        try Terminal.askHidden(
          "Password of the export", for: "the password of the export", otherwise: "give --password-file FILE")
      }
    return unsafe password.withBytes { unsafe Array($0) }
  }

  private func writeFolders() throws {
    guard let writeMapping else { return }
    let folders = try readFolders(answer)
    try FolderMapping.write(folders, to: writeMapping)
    Terminal.printNote(
      "\(counted(folders.count, "folder")) written. Replace \"\" by a group, or by null to leave a folder out")
  }

  /// Reads the source to its end, and returns its folders.
  private func readFolders(_ answer: (() throws -> [UInt8])?) throws -> Set<String> {
    var folders: Set = [""]
    try ImportProgram.run(arguments(namesOnly: true), answer: answer) { line in
      if line.itemClass != nil { folders.insert(line.folder ?? "") }
    }
    return folders
  }
}
