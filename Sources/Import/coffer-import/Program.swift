internal import CofferImport
internal import CofferPlatform
internal import CofferSystem

/// `coffer-import`: reads the formats of other programs for `coffer import`, which writes what it prints. It has no key
/// of a vault, opens no file of one, and needs no network.
@main
enum Program {
  private static let usage = """
    Usage: coffer-import [--names] [--identities FILE] [--service NAME] SOURCE [PATH]

    Prints the entries of another program, a line of JSON for each item, for coffer import, which runs it.

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
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--names": namesOnly = true
      case "--identities": identities = rest.popFirst()
      case "--service": service = rest.popFirst()
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
      let source = SourceCatalog.source(named: name, path: words.count > 1 ? words[1] : "", options)
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

  private static func fail(_ text: String, code: Int32) -> Never {
    let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(code)
  }
}
