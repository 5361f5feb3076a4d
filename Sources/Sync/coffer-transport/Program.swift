internal import CofferPlatform
internal import CofferSystem
internal import CofferTransport

/// `coffer-transport`: carries the bytes between `coffer-sync` and a remote that HTTP or the git protocol reaches. It
/// has no key of the vault, and opens no file of it.
@main
enum Program {
  private static let usage = """
    Usage: coffer-transport [--ca-file FILE] [--insecure-http] [--user NAME] [--prompt] [--git PROGRAM] URL

    Carries the bytes between coffer-sync, which runs it, and an https://, http:// or git:// remote.

    """

  static func main() {
    // It holds passwords.
    try? CurrentProcess.harden()
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    if let error = GivenText.complaint {
      complain(error + "\n")
      exit(2)
    }
    var options = HTTPTransport.Options()
    var allowsPlainHTTP = false
    var words: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--ca-file": options.certificateAuthorityFile = rest.popFirst()
      case "--user": options.user = rest.popFirst()
      case "--git": options.git = rest.popFirst() ?? options.git
      case "--insecure-http": allowsPlainHTTP = true
      case "--prompt": options.mayPrompt = true
      case "--help", "-h":
        print(usage, terminator: "")
        return
      default: words.append(word)
      }
    }
    guard words.count == 1, let address = RemoteAddress(words[0]) else {
      complain(usage)
      exit(2)
    }
    // git reads the configuration of a repository in the working directory, which could name programs to run.
    _ = unsafe chdir("/")
    guard address.scheme == "git" else {
      guard address.isSecure || address.isLoopback || allowsPlainHTTP else {
        complain("http:// without encryption is only for this machine\n")
        exit(2)
      }
      return HTTPTransport(to: address, options: options).run()
    }
    do throws(TransportFailure) {
      try GitRelay.run(to: address)
    } catch {
      complain(error.message + "\n")
      exit(1)
    }
  }

  private static func complain(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
