internal import CofferPlatform
internal import CofferSystem

/// The store of pass, gopass or passage: a folder with an encrypted file for each entry.
package struct PasswordStoreSource: EntrySource {
  private let path: String
  private let program: DecryptionProgram
  private let fileExtension: String
  private let namesOnly: Bool

  /// A store of pass or gopass. With `namesOnly`, nothing is decrypted, and entries have only their names.
  package static func gpg(_ path: String, namesOnly: Bool = false) -> PasswordStoreSource {
    PasswordStoreSource(path: path, program: .gpg, fileExtension: "gpg", namesOnly: namesOnly)
  }

  /// A store of passage. `identities` is the file with the secret keys of age; nil for the one beside the store.
  package static func age(_ path: String, identities: String?, namesOnly: Bool = false) -> PasswordStoreSource {
    PasswordStoreSource(
      path: path, program: .age(identities: identities ?? "\(path.parentFolder)/identities"), fileExtension: "age",
      namesOnly: namesOnly)
  }

  package func read(into sink: inout EntrySink) throws {
    let folder = try PasswordStoreFolder.list(path, fileExtension: fileExtension)
    guard !folder.files.isEmpty || !folder.omissions.isEmpty else {
      throw ImportError(
        "\(path.sanitizedForTerminal(limit: .max)) has no entries: no file there ends in .\(fileExtension)",
        recoverySuggestion: "name the folder of the store, such as ~/.password-store")
    }
    try sink.count(folder.files.count)
    for omission in folder.omissions { try sink.skip(omission.name, because: omission.reason) }
    guard !namesOnly else {
      for file in folder.files { try sink.add(entry(file.name, PasswordStoreText([]))) }
      return
    }
    try decrypt(folder.files, into: &sink)
  }

  /// How many programs decrypt at the same time. gpg-agent opens one key at a time, and the rest of gpg's work does not
  /// wait for it.
  private static let parallelism = min(max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 2), 8)

  /// After how many failures at the beginning the reason is taken to be the same for all entries.
  private static let maximumFailureCount = 3

  /// Decrypts several files at once, and takes them in their order. One alone until the first one succeeds: a
  /// passphrase is asked for once, and cancelling that is not followed by more questions than these.
  private func decrypt(_ files: [PasswordStoreFolder.File], into sink: inout EntrySink) throws {
    var running: [RunningBox] = []
    var next = 0
    var failureCount = 0
    var hasSucceeded = false
    for (index, file) in files.enumerated() {
      while next < files.count, next < index + (hasSucceeded ? Self.parallelism : 1) {
        running.append(RunningBox(try program.start(files[next].path)))
        next += 1
      }
      let (contents, reason) = running.removeFirst().finish(program)
      if let contents {
        hasSucceeded = true
        try sink.add(entry(file.name, PasswordStoreText(contents)))
      } else {
        failureCount += 1
        guard hasSucceeded || failureCount < Self.maximumFailureCount else {
          throw ImportError(
            "none of the first \(failureCount) entries can be read: \(reason)",
            recoverySuggestion:
              "check with: \(fileExtension == "age" ? "passage" : "pass") show \(file.name.shellWord)")
        }
        try sink.skip(file.name, because: reason)
      }
    }
  }

  private func entry(_ name: String, _ text: PasswordStoreText) -> ForeignEntry {
    var entry = ForeignEntry()
    entry.identifier = name
    entry.service = name
    entry.folder = name.split(separator: "/").dropLast().map(String.init)
    entry.username = text.username
    entry.password = text.password
    entry.notes = text.rest
    entry.oneTimeCode = text.oneTimeCode
    return entry
  }
}

/// Holds a decryption in an array, which cannot hold what cannot be copied.
private final class RunningBox {
  private var running: DecryptionProgram.Running?

  init(_ running: consuming DecryptionProgram.Running?) { self.running = consume running }

  func finish(_ program: DecryptionProgram) -> (contents: [UInt8]?, reason: String) {
    guard let running = running.take() else { return (nil, "it cannot be opened") }
    return program.finish(running)
  }
}

/// The contents of an entry of pass: the password in the first line, and anything after it.
package struct PasswordStoreText {
  /// The password; the whole contents of a binary file.
  package let password: [UInt8]
  /// What follows the first line, byte for byte.
  package let rest: [UInt8]
  /// The text after the first key of each kind that pass's extensions know.
  package private(set) var username = ""
  package private(set) var oneTimeCode: String?

  package init(_ contents: [UInt8]) {
    // A key or an image that was stored with pass or gopass is no text.
    guard !contents.contains(0), let text = String(validating: contents, as: UTF8.self) else {
      password = contents
      rest = []
      return
    }
    let newline = UInt8(ascii: "\n")
    let end = contents.firstIndex(of: newline) ?? contents.endIndex
    var password = Array(contents[..<end])
    rest = Array(contents[end...].dropFirst())
    let lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false).map { String($0) ?? "" }
    // The form of gopass 1.9 to 1.10, whose password is a header. The headers end at an empty line.
    var hasHeader = lines.first == "GOPASS-SECRET-1.0"
    for line in lines.dropFirst() {
      if line.isEmpty || line == "\r" { hasHeader = false }
      if line.hasPrefix("otpauth://"), oneTimeCode == nil { oneTimeCode = Self.trimmed(line) }
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = Self.trimmed(String(line.utf8[colon...].dropFirst()) ?? "")
      switch line[..<colon].lowercased() {
      case "password" where hasHeader:
        password = Array(value.utf8)
        hasHeader = false
      case "login", "user", "username": if username.isEmpty { username = value }
      case "otpauth": if oneTimeCode == nil { oneTimeCode = Self.trimmed(line) }
      case "totp": if oneTimeCode == nil, value.hasPrefix("otpauth://") { oneTimeCode = value }
      default: break
      }
    }
    self.password = password
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 }
    var bytes = text.utf8.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
    return String(bytes) ?? ""
  }
}

/// A program that decrypts the files of a password store. It reads a file that is already open, so that nobody can put
/// another one in its place, and no name is an argument.
struct DecryptionProgram {
  let name: String
  let arguments: [String]

  /// gpg as pass calls it. The trust of keys says nothing about a file that was encrypted to its reader.
  static let gpg = DecryptionProgram(
    name: "gpg",
    arguments: ["--quiet", "--batch", "--yes", "--trust-model", "always", "--no-auto-check-trustdb", "--decrypt"])

  /// age as passage calls it.
  static func age(identities: String) -> DecryptionProgram {
    DecryptionProgram(name: "age", arguments: ["--decrypt", "--identity", identities])
  }

  /// The largest contents, as of an item's value.
  static let maximumByteCount = 16 << 20

  /// A decryption that runs.
  struct Running: ~Copyable {
    fileprivate let child: ChildProcess
    fileprivate let output: Descriptor
  }

  /// Begins to decrypt a file; nil if it cannot be opened, or is no regular file any more.
  func start(_ path: String) throws(ImportError) -> Running? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        name, arguments: arguments, searchesPath: true, input: .descriptor(file.rawValue),
        output: .descriptor(pipe.theirs.rawValue), errors: .null)
      return Running(child: child, output: pipe.closeTheirs())
    } catch {
      throw ImportError(
        error.description,
        recoverySuggestion: error.isNotFound
          ? "install \(name), and import again" : "check that \(name) --version runs, and import again")
    }
  }

  /// Waits for the end, and returns the contents; nil with the reason if there are none.
  func finish(_ running: consuming Running) -> (contents: [UInt8]?, reason: String) {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while contents.count <= Self.maximumByteCount {
      let count = unsafe systemRead(running.output.rawValue, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      contents += chunk[..<count]
    }
    guard contents.count <= Self.maximumByteCount else {
      // What a file unpacks to is not known before.
      running.child.terminate()
      return (nil, "it has more than \(Self.maximumByteCount.byteCountText)")
    }
    switch running.child.wait() {
    case .code(0): return (contents, "")
    case .code(let code): return (nil, "\(name) could not decrypt it (exit code \(code))")
    default: return (nil, "\(name) was killed while it decrypted it")
    }
  }
}

// Outside of the type, whose scope has no other `read`, and for the same reason as in CofferSystem.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}

/// The files of a password store: those with the extension of its encryption, in all folders but those of pass itself.
struct PasswordStoreFolder {
  /// A file with an entry.
  struct File: Equatable {
    /// The path in the store without the extension, as pass names the entry.
    let name: String
    /// Where the file is: inside of the store, also after symbolic links.
    let path: String
  }

  /// A file that is left out.
  struct Omission: Equatable {
    let name: String
    let reason: String
  }

  private static let maximumFileCount = 1_000_000
  private static let maximumDepth = 64
  /// What pass, passage and git keep in a store beside its entries.
  private static let ownNames: Set = [
    ".", "..", ".git", ".gitattributes", ".gitignore", ".gitmodules", ".gpg-id", ".gpg-id.sig", ".extensions",
    ".public-keys", ".age-recipients",
  ]

  private let root: String
  private let fileExtension: String
  private(set) var files: [File] = []
  private(set) var omissions: [Omission] = []

  private init(root: String, fileExtension: String) {
    self.root = root
    self.fileExtension = fileExtension
  }

  /// Lists the files of a store, sorted by name.
  static func list(_ path: String, fileExtension: String) throws(ImportError) -> PasswordStoreFolder {
    guard let root = path.resolvedPath else { throw ImportError.system("open", path, number: errno) }
    var folder = PasswordStoreFolder(root: root, fileExtension: "." + fileExtension)
    try folder.add(root, prefix: "", depth: 0)
    folder.files.sort { $0.name < $1.name }
    folder.omissions.sort { $0.name < $1.name }
    return folder
  }

  private mutating func add(_ path: String, prefix: String, depth: Int) throws(ImportError) {
    guard depth <= Self.maximumDepth else {
      throw ImportError(
        "the store has more than \(Self.maximumDepth) levels of folders", recoverySuggestion: "name a folder in it")
    }
    guard let names = Self.names(in: path) else {
      guard depth > 0 else { throw ImportError.system("open", path, number: errno) }
      omissions.append(Omission(name: prefix, reason: "the folder cannot be read"))
      return
    }
    for bytes in names {
      guard let name = String(validating: bytes, as: UTF8.self) else {
        let shown = String(decoding: bytes, as: UTF8.self)
        omissions.append(Omission(name: prefix + shown, reason: "its name is no UTF-8"))
        continue
      }
      guard !Self.ownNames.contains(name) else { continue }
      let inner = "\(path)/\(name)"
      var status = stat()
      guard unsafe lstat(inner, &status) == 0 else {
        omissions.append(Omission(name: prefix + name, reason: "it cannot be read"))
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try add(inner, prefix: prefix + name + "/", depth: depth + 1)
      case S_IFREG: try add(file: inner, named: prefix + name)
      case S_IFLNK: try add(link: inner, named: prefix + name)
      default: omissions.append(Omission(name: prefix + name, reason: "it is no regular file"))
      }
    }
  }

  /// The names in a folder, as bytes: Foundation replaces what is no UTF-8. Nil with `errno` if it cannot be read.
  private static func names(in path: String) -> [[UInt8]]? {
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      // At the end, the number is unchanged.
      guard let entry = unsafe readdir(folder) else { return errno == 0 ? names : nil }
      names.append(unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) })
    }
  }

  private mutating func add(file path: String, named name: String) throws(ImportError) {
    guard name.hasSuffix(fileExtension) else { return }
    guard name != fileExtension, !name.hasSuffix("/" + fileExtension) else {
      omissions.append(Omission(name: name, reason: "it has no name before its extension"))
      return
    }
    guard files.count < Self.maximumFileCount else {
      throw ImportError(
        "the store has more than \(Self.maximumFileCount) entries", recoverySuggestion: "name a folder in it")
    }
    files.append(File(name: String(name.dropLast(fileExtension.count)), path: path))
  }

  /// A link to a file of the store is an entry of its own, as for pass. Nothing outside of the store is read, and the
  /// entries of a folder are imported once, from its own place.
  private mutating func add(link path: String, named name: String) throws(ImportError) {
    guard let target = path.resolvedPath else {
      omissions.append(Omission(name: name, reason: "it is a symbolic link to nothing"))
      return
    }
    guard target.hasPrefix(root + "/") else {
      omissions.append(Omission(name: name, reason: "it is a symbolic link out of the store"))
      return
    }
    var status = stat()
    guard unsafe lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      omissions.append(
        Omission(name: name, reason: "it is a symbolic link to a folder, whose entries are imported from there"))
      return
    }
    try add(file: target, named: name)
  }
}
