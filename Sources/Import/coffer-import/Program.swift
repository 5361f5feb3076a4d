internal import CofferImport
internal import CofferPlatform
internal import CofferSystem

/// `coffer-import`: reads the formats of other programs for `coffer import`, which writes what it prints. It has no key
/// of a vault, opens no file of one, and needs no network.
@main
enum Program {
  private static let usage = """
    Usage: coffer-import [--names] [--identities FILE] [--service NAME] [--input BYTES] SOURCE [PATH]

    Prints the entries of another program, a line of JSON for each item, for coffer import, which runs it. With --input, the
    file is the first bytes of standard input, and the path only names it.

    """

  static func main() {
    // It holds passwords.
    do {
      try CurrentProcess.harden()
    } catch {
      fail("the process cannot be protected from others of its user: \(error)", code: 1)
    }
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    if let error = GivenText.complaint { fail(error, code: 2) }
    var (words, namesOnly, identities, service): ([String], Bool, String?, String?) = ([], false, nil, nil)
    var byteCount: String?
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--names": namesOnly = true
      case "--identities": identities = rest.popFirst()
      case "--service": service = rest.popFirst()
      case "--input": byteCount = rest.popFirst()
      case "--help", "-h":
        print(usage, terminator: "")
        return
      default: words.append(word)
      }
    }
    let output = LineOutput()
    let options = SourceOptions(namesOnly: namesOnly, identities: identities, service: service) {
      var question = ImportLine()
      question.ask = true
      try output.write(question)
      try output.flush()
      return Descriptor(owning: dup(STDIN_FILENO)).readToEnd(maximumByteCount: 65_536)
    }
    guard let name = words.first, words.count <= 2,
      let source = SourceCatalog.source(
        named: name, path: words.count > 1 ? words[1] : "", byteCount.map(givenFile), options)
    else { fail(usage, code: 2) }
    do {
      var sink = EntrySink(source: name, foldersOnly: namesOnly, write: output.write)
      try source.read(into: &sink)
      try output.flush()
    } catch let error as ImportError {
      try? output.flush()
      fail(error.description, code: 1)
    } catch {
      // Nobody reads the output any more: coffer has said why.
      exit(1)
    }
  }

  /// Reads the first bytes of standard input, which a password may follow.
  private static func givenFile(_ count: String) -> [UInt8] {
    guard let count = Int(count), (0...maximumInputByteCount).contains(count) else { fail(usage, code: 2) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < count {
      let received = unsafe read(STDIN_FILENO, &chunk, min(chunk.count, count - bytes.count))
      if received < 0, errno == EINTR { continue }
      guard received > 0 else { fail("the file on standard input is incomplete", code: 1) }
      bytes += chunk[..<received]
    }
    return bytes
  }

  private static let maximumInputByteCount = 64 << 20

  private static func fail(_ text: String, code: Int32) -> Never {
    let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(code)
  }
}
