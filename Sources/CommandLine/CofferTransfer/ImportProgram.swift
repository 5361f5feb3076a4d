internal import Coffer
package import CofferCrypto
internal import CofferPlatform
package import CofferSystem
internal import CofferVault

/// The program `coffer-import`, which reads the formats of other programs and has no key of the vault.
package enum ImportProgram {
  private static let name = "coffer-import"

  /// Runs the program, and calls `body` with each line that it prints. `answer` returns the password of the export, for
  /// which the program may ask once; nil for a source without one. `file` is read in place of the file at the path,
  /// which then only names it. Throws `invalidArgument` with the program's own message if it fails, and `integrity` if
  /// its output is not what this version expects.
  package static func run(
    _ arguments: [String], file: SecretText? = nil, answer: (() throws -> [UInt8])?,
    _ body: (ImportLine) throws -> Void
  ) throws {
    var running = try start((file.map { ["--input", String($0.count)] } ?? []) + arguments)
    var input = running.input.take()
    // The program reads all of it before it prints anything.
    if let file { unsafe file.withBytes { unsafe input?.sendAll($0) } }
    let decoder = JSONDecoder()
    var lines = InputLines(of: running.output.rawValue, maximumByteCount: ImportLine.maximumByteCount)
    while let bytes = lines.next() {
      guard let line = try? decoder.decode(ImportLine.self, from: Data(bytes)) else { throw unexpected }
      guard line.ask != nil else {
        try body(line)
        continue
      }
      // Its end closes the input of the program.
      guard let answer, let end = input.take() else { throw unexpected }
      var bytes = try answer()
      unsafe bytes.withUnsafeBytes { unsafe end.sendAll($0) }
      for index in bytes.indices { bytes[index] = 0 }
    }
    guard lines.isAtEnd else { throw unexpected }
    let message = String(decoding: running.errors.readToEnd(maximumByteCount: 65_536), as: UTF8.self)
    guard running.child.wait() == .code(0) else {
      let lines = message.split(separator: "\n").map { $0.description.sanitizedForTerminal(limit: .max) }
      throw VaultError(
        .invalidArgument, lines.isEmpty ? "\(name) ended before the source was read" : lines.joined(separator: " "),
        recoverySuggestion: lines.isEmpty ? "import again; what was imported before stays" : nil)
    }
  }

  /// The program, and this side of its streams.
  private struct Running: ~Copyable {
    let child: ChildProcess
    var input: Descriptor?
    let output: Descriptor
    let errors: Descriptor
  }

  private static func start(_ arguments: [String]) throws(VaultError) -> Running {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.pipe()
      let errors = try Descriptor.pipe()
      let child = try ChildProcess.start(
        path, arguments: arguments, input: .descriptor(input.theirs.rawValue),
        output: .descriptor(output.theirs.rawValue), errors: .descriptor(errors.theirs.rawValue))
      return Running(
        child: child, input: input.closeTheirs(), output: output.closeTheirs(), errors: errors.closeTheirs())
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }

  private static let unexpected = VaultError(
    .integrity, "\(name) printed something that this version of coffer does not know",
    recoverySuggestion: "install all programs of Coffer in the same version")
}

/// The lines of a stream, each as soon as it has arrived.
package struct InputLines {
  private let descriptor: Int32
  private let maximumByteCount: Int
  private var pending: [UInt8] = []
  private var start = 0

  /// Takes the largest size of a line, in bytes.
  package init(of descriptor: Int32, maximumByteCount: Int) {
    self.descriptor = descriptor
    self.maximumByteCount = maximumByteCount
  }

  /// Whether every line was read. It is false after a line that is too long, or has no newline.
  package var isAtEnd: Bool { pending.count == start }

  /// Whether the next line is too long.
  package var isTooLong: Bool { pending.count - start > maximumByteCount }

  /// Returns the next line without its newline; nil at the end, or if the line is too long.
  package mutating func next() -> [UInt8]? {
    var searched = start
    while true {
      if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Array(pending[start..<end])
      }
      guard !isTooLong else { return nil }
      pending.removeFirst(start)
      start = 0
      searched = pending.count
      var chunk = [UInt8](repeating: 0, count: 1 << 18)
      let count = unsafe systemRead(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      pending += chunk[..<count]
    }
  }
}

/// The system's `read`, which a method of that name would hide within a type.
package func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}
