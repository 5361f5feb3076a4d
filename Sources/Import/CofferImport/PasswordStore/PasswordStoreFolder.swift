internal import CofferPlatform
internal import CofferSystem

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
    guard let root = resolved(path) else { throw ImportError.system("open", path, number: errno) }
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
    guard let target = Self.resolved(path) else {
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

  /// The path without symbolic links; nil with `errno` if it does not exist.
  private static func resolved(_ path: String) -> String? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(validatingCString: text)
  }
}
