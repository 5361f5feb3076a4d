internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Rename a password, change its other attributes, or edit its value.",
    discussion: """
      Without an account, changes the only password of the service. Without --value, the value stays as it is; `coffer set` replaces it. An empty text removes an attribute. Under new names, \
      the item keeps its --reference; its earlier versions stay in the history of the old names.

      With --value, opens the value in the editor that VISUAL or EDITOR names, in a private file, on Linux in memory, that is \
      overwritten afterwards. The editor may keep copies of its own, such as a history of changes. If the new value cannot be \
      stored, it is kept in such a file, which the command names.
      """,
    aliases: ["rename"])
  @OptionGroup var password: PasswordChoice
  @OptionGroup var attributes: AttributeOptions
  @Flag(help: "Edit the value, in the editor that VISUAL or EDITOR names.")
  var value = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    guard !attributes.isEmpty || value else {
      throw ValidationError(
        "name what to change, such as --service NEW, --label TEXT or --value; coffer set replaces the value")
    }
  }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .changing(group.group), to: value ? .show : .use))
    let found = try password.findOne(in: vault.vault, group: group, as: actor)
    try vault.vault.check(.changing(found.group))
    var details = try vault.details(of: found)
    let changes = try attributes.changes(of: details.fields)
    let value = try value ? edited(found, &details, in: vault) : nil
    guard value != nil || !changes.isEmpty else {
      Terminal.printNote("If the editor is still open, use one that waits, such as: EDITOR='code --wait'")
      return try Output.line("The value is the same; nothing was changed.")
    }
    do throws(VaultError) {
      try vault.edit(details.revision, changes, value: value)
    } catch {
      if let value { keep(value, of: found) }
      throw error
    }
    try Output.line("Changed \(Output.cell(details.row.title)) in \(details.row.group)")
  }

  /// Returns the value as the user has edited it; nil if it is the same. If another version with the old value came in
  /// the meantime, `details` are those of this version.
  private func edited(
    _ found: FoundPassword, _ details: inout ItemDetails, in vault: InspectedVault
  ) throws(VaultError) -> SecretText? {
    guard let stored = try found.value(in: vault.vault) else {
      throw password.notFound(in: vault.vault, group: group, as: actor)
    }
    var old = [UInt8](stored)
    defer { old.wipe() }
    var new = try EditedValue.edit(old, named: Output.cell(found.title))
    guard new != old else { return nil }
    guard !new.isEmpty else {
      let names = NextCommand.line(
        "set --allow-empty --class \(found.kind.rawValue)", [found.place, found.account], app: actor.app,
        group: found.group)
      throw VaultError(
        .invalidArgument, "the value is empty; nothing was changed",
        recoverySuggestion: "to store an empty value, run: \(names)")
    }
    // What fails here fails again when the value is stored, and then the value is kept.
    if let now = try? vault.details(of: found), now.revision != details.revision,
      let value = try? found.value(in: vault.vault)
    {
      var current = [UInt8](value)
      defer { current.wipe() }
      if current == old { details = now }
    }
    return SecretText(moving: &new)
  }

  /// Keeps a value that could not be stored in a file, and says how to store it from there.
  private func keep(_ value: SecretText, of found: FoundPassword) {
    var bytes = unsafe value.withBytes { unsafe Array($0) }
    defer { bytes.wipe() }
    guard let path = EditedValue.keep(bytes) else { return }
    let command = NextCommand.line(
      "set --class \(found.kind.rawValue) --from-file \(path)", [found.place, found.account], app: actor.app,
      group: found.group)
    Terminal.printNote("What you have typed is kept in \(path). To store it, run: \(command)")
    Terminal.printNote("Then delete it with: rm -r \(path.parentFolder)")
  }
}

extension InspectedVault {
  convenience init(_ vault: Vault) { self.init(vault: vault, local: vault.local) }

  /// Returns everything about a password that was found.
  func details(of found: FoundPassword) throws(VaultError) -> ItemDetails {
    guard let reference = ItemReference.references(argument: found.reference).first else {
      throw VaultError(
        .itemNotFound, "the item has no reference by which it can be changed",
        recoverySuggestion: "store its value again with: coffer set")
    }
    return try details(of: reference, in: found.group, matching: found.primaryKey)
  }
}

/// A value in the editor of the user: in a file of a private folder in memory, which is overwritten and deleted
/// afterwards.
struct EditedValue {
  /// The folder that Linux has in memory for each program.
  private static let memory = "/dev/shm"

  private let folder: String
  private var file: String { "\(folder)/value" }

  /// Lets the user edit a text. `name` is the item, for errors. Throws `io` if there is no folder in memory or no
  /// editor, and `cancelled` if the editor ends with an error.
  static func edit(_ text: [UInt8], named name: String) throws(VaultError) -> [UInt8] {
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
      throw VaultError(
        .invalidArgument, "the value of \(name) is not text, which an editor would change",
        recoverySuggestion: "replace it with: coffer set SERVICE ACCOUNT --from-file FILE")
    }
    // A signal must not end this process while the file exists. Those of the terminal are for the editor.
    let former = [SIGINT, SIGQUIT, SIGHUP, SIGTERM].map { (number: $0, action: signal($0, SIG_IGN)) }
    defer { for (number, action) in former { signal(number, action) } }
    let edited = try EditedValue(folder: makeFolder())
    defer { edited.remove() }
    try edited.write(text)
    try edited.runEditor()
    var new = [UInt8](try SecretInput.contents(of: edited.file, what: "value"))
    // Most editors end the last line.
    if new.last == UInt8(ascii: "\n"), text.last != UInt8(ascii: "\n") { new.removeLast() }
    return new
  }

  /// Writes a text to a new private file, and returns its path; nil if that is not possible either.
  static func keep(_ text: [UInt8]) -> String? {
    guard let kept = try? EditedValue(folder: makeFolder()) else { return nil }
    guard (try? kept.write(text)) != nil else {
      kept.remove()
      return nil
    }
    return kept.file
  }

  private static func makeFolder() throws(VaultError) -> String {
    #if os(Linux)
      guard isInMemory else {
        throw VaultError(
          .io, "\(memory) is not in memory, so the value would be on the disk",
          recoverySuggestion: "replace it with: coffer set")
      }
      let parent = memory
    #else
      let parent = CurrentProcess.variable("TMPDIR") ?? "/tmp"
    #endif
    var path = Array("\(parent)/coffer-XXXXXX".utf8CString)
    guard unsafe path.withUnsafeMutableBufferPointer({ unsafe $0.baseAddress.flatMap { unsafe mkdtemp($0) } }) != nil
    else { throw systemFailure("create a folder in \(parent)") }
    return String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the last file system that is mounted at the folder is in memory.
  private static var isInMemory: Bool {
    let table = FileManager.default.contents(atPath: "/proc/self/mounts") ?? Data()
    let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    return rows.last { $0.count > 2 && $0[1] == memory }.map { $0[2] == "tmpfs" } ?? false
  }

  private func write(_ text: [UInt8]) throws(VaultError) {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("write \(file)") }
    defer { close(descriptor) }
    guard unsafe text.withUnsafeBytes({ unsafe Terminal.writeAll($0, to: descriptor) }) else {
      throw systemFailure("write \(file)")
    }
  }

  /// Runs the editor, whose name may have arguments, as git does.
  private func runEditor() throws(VaultError) {
    let environment = CurrentProcess.environment
    let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
    let end: ChildProcess.Exit
    do throws(SystemError) {
      end = try ChildProcess.start("/bin/sh", arguments: ["-c", "\(editor) \"$1\"", "sh", file]).wait()
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "name another editor in EDITOR")
    }
    guard end == .code(0) else {
      throw VaultError(
        .io, "the editor ended with an error; nothing was changed",
        recoverySuggestion: "try again, or name another editor in EDITOR")
    }
  }

  /// Overwrites all files of the folder, also those that the editor has left, and deletes them.
  private func remove() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      let zeros = [UInt8](repeating: 0, count: 65_536)
      var rest = Int(status.st_size)
      while rest > 0 {
        let count = min(rest, zeros.count)
        let part = zeros[..<count]
        guard unsafe part.withUnsafeBytes({ unsafe Terminal.writeAll($0, to: descriptor) }) else { break }
        rest -= count
      }
      close(descriptor)
    }
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      Terminal.printNote("The folder of the edited value could not be deleted; delete it: \(folder)")
    }
  }
}
