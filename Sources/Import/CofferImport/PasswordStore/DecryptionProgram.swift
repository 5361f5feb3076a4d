internal import CofferPlatform
internal import CofferSystem

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
