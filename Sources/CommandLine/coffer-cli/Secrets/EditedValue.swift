internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A value in the editor of the user: in a file of a private folder in memory, which is overwritten and deleted afterwards.
struct EditedValue {
  /// The folder that Linux has in memory for each program.
  private static let memory = "/dev/shm"

  private let folder: String
  private var file: String { "\(folder)/value" }

  /// Lets the user edit a text. `name` is the item, for errors. Throws `io` if there is no folder in memory or no editor, and
  /// `cancelled` if the editor ends with an error.
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

  private static func makeFolder() throws(VaultError) -> String {
    #if os(Linux)
      guard isInMemory else {
        throw VaultError(
          .io, "\(memory) is not in memory, so the value would be on the disk",
          recoverySuggestion: "replace it with: coffer set")
      }
      let parent = memory
    #else
      let parent = CurrentProcess.environment["TMPDIR"] ?? "/tmp"
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
