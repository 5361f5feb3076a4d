internal import CofferPlatform
internal import CofferSystem

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
