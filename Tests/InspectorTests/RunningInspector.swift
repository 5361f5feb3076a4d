import CofferTestSupport
import Foundation

/// A running `coffer inspect`, as its user has started it.
final class RunningInspector {
  let machine: Machine
  let program: RunningProgram
  let port: Int
  /// The one-time token of the address that it has printed.
  let token: String

  /// A browser's session: its cookie, and the token that its forms repeat.
  struct Session {
    let cookie: String
    let csrf: String
  }

  /// Starts the program and waits for its address.
  ///
  /// - Parameters:
  ///   - machine: A machine with a vault.
  ///   - arguments: The arguments after `--no-open`.
  ///   - environment: Additional variables of the environment.
  /// - Throws: An error if the program ends or prints no address.
  init(on machine: Machine, _ arguments: String..., environment: [String: String] = [:]) throws {
    self.machine = machine
    program = try machine.start("coffer", ["inspect", "--no-open"] + arguments, environment: environment)
    (port, token) = try Self.address(of: program)
  }

  /// Starts the program for a new vault that needs no passphrase.
  convenience init() throws {
    let machine = try Machine()
    try machine.makeVault()
    try self.init(on: machine)
  }

  /// A program with a session, for tests that change neither. It is not locked meanwhile, and ends with the tests.
  static func shared() throws -> (RunningInspector, Session) { try unsafe sharedProgram.get() }

  // Only messages to another process change it.
  nonisolated(unsafe) private static let sharedProgram = Result {
    let machine = try Machine()
    machine.directory.deleteAtExit()
    try machine.makeVault()
    let inspector = try RunningInspector(on: machine, "--idle", "24h")
    inspector.program.killAtExit()
    return (inspector, try inspector.enter())
  }

  /// Starts the program on a machine with a passphrase, which is in a file.
  static func withPassphrase(_ passphrase: String, _ arguments: String...) throws -> RunningInspector {
    let machine = try Machine()
    machine.environment["COFFER_PASSPHRASE_FILE"] = try machine.makeVault(passphrase: passphrase)
    let program = try machine.start("coffer", ["inspect", "--no-open"] + arguments)
    return try RunningInspector(machine, program)
  }

  /// Takes over a program that was started.
  init(_ machine: Machine, _ program: RunningProgram) throws {
    self.machine = machine
    self.program = program
    (port, token) = try Self.address(of: program)
  }

  deinit { if program.isRunning { program.kill() } }

  private static func address(of program: RunningProgram) throws -> (port: Int, token: String) {
    var address: (Int, String)?
    try waitUntil("coffer inspect has printed an address") {
      // Asked first: what has ended has also printed all that it prints.
      let isRunning = program.isRunning
      let text = String(decoding: try program.outputSoFar(), as: UTF8.self)
      if let match = text.wholeMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\/#([0-9a-f]{64})\n/) {
        address = Int(match.1).map { ($0, String(match.2)) }
      }
      guard isRunning || address != nil else {
        throw RawConnection.Failure(description: "coffer inspect has ended: \(try program.wait())")
      }
      return address != nil
    }
    guard let address else { throw RawConnection.Failure(description: "no address") }
    return address
  }

  var host: String { "127.0.0.1:\(port)" }
  var origin: String { "http://\(host)" }

  /// Sends a request as a browser does from the server's own pages, over a connection of its own.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The target.
  ///   - headers: More headers; an empty value removes one of the browser's.
  ///   - form: The body.
  ///   - session: The session whose cookie is sent.
  /// - Returns: The response.
  /// - Throws: An error if the connection ends before.
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], form: String? = nil, as session: Session? = nil
  ) throws -> RawResponse {
    let connection = try RawConnection(port: port)
    try connection.send(request(method, path, headers, form: form, as: session))
    return try connection.response(hasBody: method != "HEAD")
  }

  /// Returns the bytes of ``send(_:_:_:form:as:)``.
  func request(
    _ method: String, _ path: String, _ headers: [String: String] = [:], form: String? = nil, as session: Session? = nil
  ) -> String {
    var all = ["Host": host, "Sec-Fetch-Site": "same-origin"]
    if method == "POST" { all["Origin"] = origin }
    if let session { all["Cookie"] = session.cookie }
    if let form {
      all["Content-Type"] = "application/x-www-form-urlencoded"
      all["Content-Length"] = "\(form.utf8.count)"
    }
    let lines = all.merging(headers) { $1 }.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }
    return "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(form ?? "")"
  }

  /// Gives the one-time token and returns the response.
  func exchange(_ token: String) throws -> RawResponse { try send("POST", "/session", form: "token=\(token)") }

  /// Begins a session, and reads the CSRF token from the first page.
  func enter() throws -> Session {
    let response = try exchange(token)
    guard response.status == 303, let cookie = response["set-cookie"]?.split(separator: ";").first else {
      throw RawConnection.Failure(description: "no session: \(response)")
    }
    return try session(of: String(cookie))
  }

  private func session(of cookie: String) throws -> Session {
    let page = try send("GET", "/", as: Session(cookie: cookie, csrf: ""))
    guard let match = page.text.firstMatch(of: /name="csrf" value="([0-9a-f]{64})"/) else {
      throw RawConnection.Failure(description: "no form: \(page)")
    }
    return Session(cookie: cookie, csrf: String(match.1))
  }

  /// Locks the vault with a signal, and waits until it is locked.
  func lock(_ session: Session) throws {
    _ = Foundation.kill(program.processIdentifier, SIGUSR1)
    let background = ["X-Coffer-Background": "1"]
    try waitUntil("the vault is locked") { try send("GET", "/session", background, as: session).status == 423 }
  }

  /// Asks the program to end, and waits for it.
  func end(signal: Int32 = SIGTERM) throws -> Machine.Outcome {
    _ = Foundation.kill(program.processIdentifier, signal)
    return try program.wait()
  }

  /// Returns the value of a line of /proc/PID/status in KiB, such as `VmHWM`, the largest memory so far.
  func memory(_ name: String) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? -1
  }
}
