internal import CofferPlatform
internal import CofferSystem

/// The file `~/.netrc` with the passwords of hosts, as ftp, curl and git read it.
struct NetrcFile {
  private struct Entry {
    /// Nil for `default`.
    var machine: String?
    var login: String?
    var password: String?
  }

  private let entries: [Entry]

  /// Reads the contents of a file. Words that are unknown, and macros, are skipped.
  init(_ bytes: [UInt8]) {
    var words = Words(String(decoding: bytes, as: UTF8.self))
    var entries: [Entry] = []
    while let word = words.next() {
      switch word {
      case "machine": if let name = words.next() { entries.append(Entry(machine: name.lowercased())) }
      case "default": entries.append(Entry())
      case "login", "password", "account":
        guard let value = words.next(), !entries.isEmpty else { continue }
        if word == "login" { entries[entries.count - 1].login = value }
        if word == "password" { entries[entries.count - 1].password = value }
      case "macdef": words.skipMacro()
      default: continue
      }
    }
    self.entries = entries
  }

  /// Returns the first entry for a host, without its port, that has the user name, nil for any. It may be the entry for
  /// all other hosts.
  func credential(for host: String, user: String?) -> Credential? {
    let host = host.lowercased()
    for entry in entries where entry.machine == nil || entry.machine == host {
      guard let password = entry.password, let name = entry.login ?? user, user == nil || user == name else { continue }
      return Credential(user: name, password: password)
    }
    return nil
  }
}

/// Words that white space separates. A word in quotation marks may contain white space, and a backslash in it protects
/// the next character. Outside of these, a `#` at the beginning of a word begins a comment.
private struct Words {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  mutating func next() -> String? {
    while let first = rest.first {
      if first.properties.isWhitespace {
        rest.removeFirst()
      } else if first == "#" {
        rest = rest.drop { $0 != "\n" }
      } else {
        return first == "\"" ? quoted() : plain()
      }
    }
    return nil
  }

  /// Skips the definition of a macro, which an empty line ends.
  mutating func skipMacro() {
    var isAtLineStart = false
    while let scalar = rest.popFirst() {
      if scalar == "\n" {
        if isAtLineStart { return }
        isAtLineStart = true
      } else if scalar != "\r" {
        isAtLineStart = false
      }
    }
  }

  private mutating func plain() -> String {
    let word = rest.prefix { !$0.properties.isWhitespace }
    rest = rest[word.endIndex...]
    return String(word)
  }

  private mutating func quoted() -> String {
    rest.removeFirst()
    var word = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar == "\\", let next = rest.popFirst() {
        word.append(next)
      } else {
        word.append(scalar)
      }
    }
    return String(word)
  }
}

/// The user's credential helpers, by `git credential`.
struct GitCredential {
  let address: RemoteAddress
  let user: String?
  /// Whether git may ask for user name and password on the terminal.
  let mayPrompt: Bool
  /// The git program, by path or by its name in `PATH`.
  let git: String

  /// A helper may start a daemon, or unlock a wallet for which the user has to type.
  private static let timeout: Duration = .seconds(20)
  private static let maximumOutputByteCount = 64 << 10

  /// Asks the helpers, and then the user if ``mayPrompt``. Returns nil if there is no credential, or no git.
  func fill() -> Credential? {
    guard let output = run("fill", request()) else { return nil }
    var fields: [Substring: Substring] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      fields[line[..<equals]] = line[line.index(after: equals)...]
    }
    guard let user = fields["username"], let password = fields["password"] else { return nil }
    return Credential(user: String(user), password: String(password))
  }

  /// Tells the helpers that a credential has worked, so that they keep it.
  func approve(_ credential: Credential) { report("approve", credential) }

  /// Tells the helpers that a credential was refused, so that they forget it.
  func reject(_ credential: Credential) { report("reject", credential) }

  private func report(_ action: String, _ credential: Credential) {
    // A line break would forge another field.
    guard !(credential.user + credential.password).contains(where: { $0.isNewline || $0 == "\0" }) else { return }
    _ = run(action, request(credential))
  }

  private func request(_ credential: Credential? = nil) -> String {
    var lines = ["protocol=\(address.scheme)", "host=\(address.authority)", "path=\(address.path.dropFirst())"]
    if let name = credential?.user ?? user { lines.append("username=\(name)") }
    if let credential { lines.append("password=\(credential.password)") }
    return lines.joined(separator: "\n") + "\n\n"
  }

  /// Runs `git credential`. Passwords go through pipes only.
  private func run(_ action: String, _ request: String) -> [UInt8]? {
    let prompts = action == "fill" && mayPrompt
    var environment = CurrentProcess.environment
    environment["GIT_TERMINAL_PROMPT"] = prompts ? "1" : "0"
    // A program with a window must not appear for a sync that a timer has started.
    environment["GIT_ASKPASS"] = ""
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let output = try Descriptor.socketPair()
      let child = try ChildProcess.start(
        git, arguments: ["credential", action], searchesPath: true, environment: environment,
        input: .descriptor(input.theirs.rawValue), output: .descriptor(output.theirs.rawValue),
        errors: prompts ? .inherited : .null)
      do {
        let input = input.closeTheirs()
        let bytes = Array(request.utf8)
        unsafe bytes.withUnsafeBytes { unsafe input.sendAll($0) }
      }
      // The program that has started this one ends both if the user does not answer.
      let deadline = ContinuousClock.now + (prompts ? .seconds(3600) : Self.timeout)
      let answer = Self.read(from: output.closeTheirs(), until: deadline)
      let exit = child.wait(timeout: max(.zero, deadline - .now))
      child.terminate()
      return exit == .code(0) ? answer : nil
    } catch {
      return nil
    }
  }

  private static func read(from descriptor: consuming Descriptor, until deadline: ContinuousClock.Instant) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < maximumOutputByteCount {
      let (seconds, attoseconds) = max(.zero, deadline - .now).components
      let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
      var wait = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&wait, 1, Int32(clamping: milliseconds))
      if ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { return bytes }
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe Descriptor.receive(into: $0, from: descriptor.rawValue) }
      if count < 0 && [EAGAIN, EINTR].contains(errno) { continue }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
    return bytes
  }
}

/// A file with passwords.
enum SecretFile {
  private static let maximumByteCount = 1 << 20

  /// Reads a file that belongs to this user or to root, and that nobody else can read. Returns nil if it does not
  /// exist. Throws `permissionDenied`, with the reason why the file is not used.
  static func read(_ path: String) throws(TransportFailure) -> [UInt8]? {
    // Opening a named pipe would wait for a writer.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard number >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))", "check its path and mode")
    }
    let file = Descriptor(owning: number)
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal(path, "is no regular file", "write the password into a regular file")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw refusal(path, "belongs to another user", "use a file of your own")
    }
    // Systems that hand secrets to services and containers mount files of root that others may read.
    let isShared = status.st_uid == 0 && geteuid() != 0
    guard status.st_mode & (isShared ? 0o022 : 0o077) == 0 else {
      throw refusal(path, "can be read by other users", "run: chmod 600 \(path.shellWord)")
    }
    guard status.st_size <= maximumByteCount else {
      throw refusal(path, "has more than \(maximumByteCount) bytes", "check its path")
    }
    return file.readToEnd(maximumByteCount: maximumByteCount)
  }

  private static func refusal(_ path: String, _ what: String, _ suggestion: String) -> TransportFailure {
    TransportFailure(
      .permissionDenied, "\(path.sanitizedForTerminal()) \(what)", recoverySuggestion: suggestion)
  }
}
