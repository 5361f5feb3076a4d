internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTransfer
internal import CofferVault

/// The items as a store of pass: a file for each entry, which gpg has encrypted to the keys of the store.
struct PasswordStoreExport {
  private let folder: String
  /// The keys of the folders that were written to, by their paths in the store.
  private var recipients: [String: [String]]
  /// Whether the names of groups become folders, because the items of several are written.
  private let hasGroupFolders: Bool
  private var paths: Set<String> = []
  /// The entries whose file has another name than they, because pass or a file system does not allow theirs.
  private(set) var renamed: [(name: String, path: String)] = []
  /// False if a password was left out because its file would read back as another one.
  private(set) var isComplete = true

  /// Opens a store, or creates one for a key of gpg.
  init(opening folder: String, recipient: String?, hasGroupFolders: Bool) throws {
    self.folder = folder
    self.hasGroupFolders = hasGroupFolders
    let list = "\(folder)/.gpg-id"
    var status = stat()
    if let recipient {
      guard unsafe lstat(list, &status) != 0 else {
        throw VaultError(
          .invalidArgument, "\(folder.sanitizedForTerminal(limit: .max)) is a store that has keys already",
          recoverySuggestion: "leave --recipient out, or change the keys with: pass init KEY")
      }
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw systemFailure("create \(folder)") }
      try ReplacedFile.write(Array("\(recipient)\n".utf8), to: list)
    }
    guard let keys = try Self.keys(in: list) else {
      throw VaultError(
        .invalidArgument, "\(folder.sanitizedForTerminal(limit: .max)) is no store of pass: it has no file .gpg-id",
        recoverySuggestion: "create one with pass init, or name the key of a new one with --recipient KEY")
    }
    recipients = ["": keys]
  }

  /// Returns the keys that a file .gpg-id names; nil if there is no such file.
  private static func keys(in list: String) throws(VaultError) -> [String]? {
    let keys: [String]
    do throws(RegularFile.Refusal) {
      let file = try RegularFile.open(list, followsLinks: false)
      let text = String(decoding: try file.read(upTo: min(file.byteCount, 65_536)), as: UTF8.self)
      keys = text.split(whereSeparator: \.isNewline).compactMap { line in
        let key = line.prefix { $0 != "#" }.trimmedSpace
        return key.isEmpty ? nil : key
      }
    } catch {
      if case .system(ENOENT) = error { return nil }
      throw VaultError(
        .invalidArgument, "cannot read \(list.sanitizedForTerminal(limit: .max))",
        recoverySuggestion: "write a regular file with the keys of the folder with: pass init KEY")
    }
    guard !keys.isEmpty, !keys.contains(where: { $0.hasPrefix("-") }) else {
      throw VaultError(
        .invalidArgument, "the file \(list.sanitizedForTerminal(limit: .max)) names no key",
        recoverySuggestion: "name one in it with: pass init KEY")
    }
    return keys
  }

  /// Returns the keys for a folder of the store: those of the nearest file .gpg-id in it or above it, as pass does.
  private mutating func folderKeys(of parts: [String]) throws(VaultError) -> [String] {
    let path = parts.joined(separator: "/")
    if let known = recipients[path] { return known }
    var keys = try Self.keys(in: "\(folder)/\(path)/.gpg-id")
    if keys == nil { keys = try folderKeys(of: Array(parts.dropLast())) }
    recipients[path] = keys
    return keys ?? []
  }

  /// Writes an entry, and what belongs to it. `skip` receives what is left out. Returns the number of files.
  mutating func write(_ entry: ExportedEntry, skip: (String, String) -> Void) throws -> Int {
    var count = 0
    let (name, shown) = path(of: entry)
    if entry.password != nil || entry.notes != nil || entry.oneTimeCode != nil {
      if let contents = PasswordStoreContents.bytes(of: entry, skip: skip) {
        count += try write(contents, to: name, named: shown, skip)
      } else {
        isComplete = false
      }
    }
    if let item = entry.password, !item.attributesWithoutColumn.isEmpty {
      skip(item.name, "pass has no place for its \(item.attributesWithoutColumn); coffer export json has it")
    }
    for attachment in entry.attachments {
      let label = attachment.attribute("labl")
      count += try write(attachment.value, to: name + [label], named: "\(shown)/\(label)", skip)
    }
    if let details = entry.details {
      count += try write(details.value, to: name + ["details.json"], named: "\(shown)/details.json", skip)
    }
    for item in entry.others { skip(item.name, "pass has no certificates and keys; coffer export json has them") }
    return count
  }

  /// The names of the folders and of the file, and the name of the entry as the vault has it.
  private func path(of entry: ExportedEntry) -> (names: [String], shown: String) {
    let group = hasGroupFolders ? [entry.group] : []
    func path(_ names: [String], for text: String, _ rest: [String] = []) -> (names: [String], shown: String) {
      (group + names + rest, (group + [text] + rest).joined(separator: "/"))
    }
    let user = entry.username.isEmpty ? [] : [entry.username]
    guard let password = entry.password else { return path([entry.title], for: entry.title, user) }
    let service = password.attribute("svce")
    let names = service.split(separator: "/").map(String.init)
    if let source = entry.origin?.source, ["pass", "gopass", "passage"].contains(source) {
      return path(names, for: service)
    }
    let place = entry.origin.map { origin in
      origin.folder.split(separator: "/").map { name in
        PercentEscapes.decode(name).flatMap { String(validating: $0, as: UTF8.self) } ?? String(name)
      } + [entry.title]
    }
    if let place { return path(place, for: place.joined(separator: "/"), user) }
    return names.isEmpty ? path([entry.title], for: entry.title, user) : path(names, for: service, user)
  }

  private mutating func write(
    _ contents: [UInt8], to names: [String], named shown: String, _ skip: (String, String) -> Void
  ) throws -> Int {
    let parts = names.map(Self.fileName)
    var path = parts.joined(separator: "/")
    var number = 1
    while !paths.insert(path).inserted {
      number += 1
      path = parts.joined(separator: "/") + " (\(number))"
    }
    let file = "\(folder)/\(path).gpg"
    var status = stat()
    guard unsafe lstat(file, &status) != 0 else {
      skip(path, "the store has an entry of this name")
      return 0
    }
    try createFolders(of: parts.dropLast())
    let keys = try folderKeys(of: Array(parts.dropLast()))
    guard let sealed = try Encryption(recipients: keys).run(contents) else {
      throw VaultError(
        .invalidArgument, "gpg could not encrypt to the keys of the store: \(keys.joined(separator: ", "))",
        recoverySuggestion: "check that gpg knows and trusts them: gpg --list-keys")
    }
    try ReplacedFile.write(sealed, to: file)
    if path != shown { renamed.append((shown, path)) }
    return 1
  }

  /// A name that stays in its folder, is not hidden, and fits into a file system.
  private static func fileName(_ name: String) -> String {
    var bytes = name.utf8.map { $0 < 32 || $0 == 127 || $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    if bytes.isEmpty || bytes[0] == UInt8(ascii: ".") || bytes[0] == UInt8(ascii: "-") {
      bytes.insert(UInt8(ascii: "_"), at: 0)
    }
    while bytes.count > 200 || String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func createFolders(of parts: ArraySlice<String>) throws(VaultError) {
    var path = folder
    for part in parts {
      path += "/\(part)"
      if unsafe mkdir(path, 0o700) == 0 { continue }
      var status = stat()
      guard errno == EEXIST, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw VaultError(
          .invalidArgument, "\(path.sanitizedForTerminal(limit: .max)) is no folder",
          recoverySuggestion: "export into another folder")
      }
    }
  }
}

/// The text of an entry of pass.
enum PasswordStoreContents {
  /// Returns the contents: those of an entry of pass as they were, with its one-time code of now, and otherwise the
  /// password, the fields that pass's extensions know, and the notes. Nil if a file would read back as another
  /// password. `skip` receives what is left out.
  static func bytes(of entry: ExportedEntry, skip: (String, String) -> Void) -> [UInt8]? {
    let value = entry.password?.value ?? []
    let newline = UInt8(ascii: "\n")
    let parts = [entry.notes, entry.oneTimeCode].compactMap(\.self)
    if let password = entry.password, !isText(password) {
      // A file that is no text has nothing but itself.
      for item in parts { skip(item.name, "the value beside it is no text, and fills its file; \(elsewhere)") }
      if !entry.addresses.isEmpty || entry.oneTimeCode == nil && entry.oneTimeCodeText != nil {
        skip(password.name, "its value is no text, and fills its file without address and one-time code; \(elsewhere)")
      }
      return value
    }
    if let password = entry.password, value.contains(newline) {
      for item in [password] + parts {
        skip(item.name, "pass reads a password up to its first newline; \(elsewhere)")
      }
      return nil
    }
    var notes = entry.notes?.value ?? []
    if let item = entry.notes, !isText(item) {
      skip(item.name, "it is no text, and the password of its file would not be read; \(elsewhere)")
      notes = []
    }
    if let source = entry.origin?.source, ["pass", "gopass", "passage"].contains(source) {
      return value + [newline] + lines(notes, with: entry.oneTimeCodeText)
    }
    var bytes = value + [newline]
    if !entry.username.isEmpty, !entry.username.utf8.contains(newline) {
      bytes += Array("login: \(entry.username)\n".utf8)
    }
    for address in entry.addresses { bytes += Array("url: \(address)\n".utf8) }
    if let code = entry.oneTimeCodeText { bytes += Array("\(code)\n".utf8) }
    return bytes + notes
  }

  /// Returns the text after the password with the one-time code, which may be newer than that in the text.
  private static func lines(_ notes: [UInt8], with code: String?) -> [UInt8] {
    guard let code else { return notes }
    let text = String(decoding: notes, as: UTF8.self)
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String($0) ?? "" }
    // The lines in which coffer-import finds a code, of which it takes the first.
    let place = lines.firstIndex { line in
      let line = line.lowercased()
      return line.hasPrefix("otpauth:")
        || line.hasPrefix("totp:") && line.dropFirst(5).trimmedSpace.hasPrefix("otpauth://")
    }
    if let place {
      guard !lines[place].trimmedSpace.hasSuffix(code) else { return notes }
      lines[place] = code
    } else {
      lines.insert(code, at: lines.last?.isEmpty == true ? lines.count - 1 : lines.count)
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  private static let elsewhere = "coffer export json has it"

  /// Whether pass's readers take it as text.
  private static func isText(_ item: ExportedItem) -> Bool { item.text != nil && !item.value.contains(0) }
}

/// gpg, as pass calls it to encrypt. It gets the contents through a socket, and gives the sealed file through a pipe.
struct Encryption {
  let recipients: [String]

  /// Returns the sealed contents; nil if gpg fails, which has said why on standard error.
  func run(_ contents: [UInt8]) throws(VaultError) -> [UInt8]? {
    let options = ["--quiet", "--batch", "--yes", "--compress-algo", "none", "--no-encrypt-to", "--encrypt"]
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.pipe()
      let child = try ChildProcess.start(
        "gpg", arguments: options + recipients.flatMap { ["--recipient", $0] }, searchesPath: true,
        input: .descriptor(input.theirs.rawValue), output: .descriptor(output.theirs.rawValue))
      let sealed = exchange(contents, input.closeTheirs(), output.closeTheirs())
      return child.wait() == .code(0) && !sealed.isEmpty ? sealed : nil
    } catch {
      throw VaultError(.io, "gpg cannot be started", recoverySuggestion: "install gnupg, and export again")
    }
  }

  /// Writes and reads by turns: neither side waits for the other one with a full pipe.
  private func exchange(_ contents: [UInt8], _ input: borrowing Descriptor, _ output: borrowing Descriptor) -> [UInt8] {
    var rest = contents[...]
    var isOpen = true
    var sealed: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      if rest.isEmpty, isOpen {
        shutdown(input.rawValue, Int32(SHUT_WR))
        isOpen = false
      }
      var descriptors = [
        pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen ? input.rawValue : -1, events: Int16(POLLOUT), revents: 0),
      ]
      guard unsafe poll(&descriptors, 2, -1) > 0 else { continue }
      if descriptors[1].revents != 0 {
        let count = unsafe rest.withUnsafeBytes { unsafe Descriptor.send($0, to: input.rawValue) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EAGAIN, errno != EINTR {
          // gpg has ended, and its exit code says why.
          rest = []
        }
      }
      if descriptors[0].revents != 0 {
        let count = unsafe systemRead(output.rawValue, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return sealed }
        sealed += chunk[..<count]
      }
    }
  }
}
