internal import Coffer
internal import CofferPlatform
internal import CofferVault

/// The entries of a download's log, of which only a part is on the disk at once: an attacker with push access could
/// have added any number of files, and all that an entry proves is that it opens.
final class IncomingLog {
  private let incoming: IncomingFiles
  private let folder: URL
  private let roundByteCount: Int
  /// Each content once: those that a branch has before those that one has had.
  let files: [IncomingFiles.File]
  /// The number of those that a branch has.
  let presentCount: Int

  /// Takes the folder that ``VaultFolder/incoming`` names, and its files.
  init(
    _ folder: URL, _ files: some Sequence<IncomingFiles.File>, roundByteCount: Int = IncomingFiles.roundByteCount
  ) {
    self.folder = folder
    self.roundByteCount = roundByteCount
    incoming = IncomingFiles(folder)
    var present: [IncomingFiles.File] = []
    var former: [IncomingFiles.File] = []
    for file in files where file.path.hasPrefix("log/") {
      if file.isFormer { former.append(file) } else { present.append(file) }
    }
    var known: Set<String> = []
    present = present.filter { known.insert($0.name).inserted }
    presentCount = present.count
    self.files = present + former.filter { known.insert($0.name).inserted }
  }

  /// Reads the first of the files with these numbers; nil if it cannot be read. If it is not on the disk, `coffer-sync`
  /// writes it and those after it there, in place of those that are.
  func content(_ numbers: ArraySlice<Int>) throws(VaultError) -> [UInt8]? {
    guard let number = numbers.first else { return nil }
    if let bytes = incoming.content(named: files[number].name) { return bytes }
    var names: [String] = []
    var byteCount = 0
    for number in numbers {
      byteCount += files[number].byteCount
      guard names.isEmpty || byteCount <= roundByteCount else { break }
      names.append(files[number].name)
    }
    for file in files { incoming.remove(file.name) }
    do {
      try incoming.want(names)
      _ = try SyncProcess.output(
        of: ["download-contents", "--into", folder.deletingLastPathComponent().path(percentEncoded: false)])
    } catch let error as SyncFailure {
      throw VaultError(
        .io, "the downloaded entries of the log could not be read: \(error.messages)",
        recoverySuggestion: "run the command again")
    } catch {
      throw VaultError(translating: error)
    }
    return incoming.content(named: files[number].name)
  }
}
