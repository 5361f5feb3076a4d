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

  /// Decrypts several files at once, and takes them in their order. One alone until the first one succeeds: a passphrase is
  /// asked for once, and cancelling that is not followed by more questions than these.
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
