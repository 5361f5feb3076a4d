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
    try forEachLine(of: running.output) { line in
      guard line.ask != nil else { return try body(line) }
      // Its end closes the input of the program.
      guard let answer, let end = input.take() else { throw unexpected }
      var bytes = try answer()
      unsafe bytes.withUnsafeBytes { unsafe end.sendAll($0) }
      for index in bytes.indices { bytes[index] = 0 }
    }
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

  private static func forEachLine(of pipe: borrowing Descriptor, _ body: (ImportLine) throws -> Void) throws {
    let decoder = JSONDecoder()
    var pending: [UInt8] = []
    var searched = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe systemRead(pipe.rawValue, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pending += chunk[..<count]
      var start = 0
      while let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        guard let line = try? decoder.decode(ImportLine.self, from: Data(pending[start..<end])) else {
          throw unexpected
        }
        try body(line)
        start = end + 1
        searched = start
      }
      pending.removeFirst(start)
      searched = pending.count
      guard pending.count <= ImportLine.maximumByteCount else { throw unexpected }
    }
    guard pending.isEmpty else { throw unexpected }
  }
}

/// The system's `read`, which a method of that name would hide within a type.
package func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}
