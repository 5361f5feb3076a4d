internal import Foundation
internal import Synchronization

/// Asks on the controlling terminal; what is typed is not shown.
public struct TerminalPrompter: AuthenticationPrompter {
  private let path: String

  /// Asks on `/dev/tty`, wherever standard input and output lead.
  public init() { self.init(path: "/dev/tty") }

  package init(path: String) { self.path = path }

  /// One at a time for each terminal: two would take each other's setting for what the terminal was.
  private static let turns = Mutex<[String: NSLock]>([:])

  /// Asks; `unavailable` where there is no terminal, or another program has it.
  public func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let turn = Self.turns.withLock { turns in
      let turn = turns[path] ?? NSLock()
      turns[path] = turn
      return turn
    }
    while !turn.lock(before: Date(timeIntervalSinceNow: Double(pollMilliseconds) / 1000)) {
      if request.isCancelled { return .cancelled }
    }
    defer { turn.unlock() }
    return askAlone(request)
  }

  private func askAlone(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return .unavailable }
    defer { close(descriptor) }
    // A program in the background that touches the terminal would be stopped.
    let foreground = tcgetpgrp(descriptor)
    guard foreground < 0 || foreground == getpgrp() else { return .unavailable }
    var saved = termios()
    guard unsafe tcgetattr(descriptor, &saved) == 0 else { return .unavailable }
    var quiet = saved
    // Keys arrive one by one and Ctrl-C as a character, so that no signal can leave the terminal without its echo.
    quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else { return .unavailable }
    defer {
      unsafe tcsetattr(descriptor, TCSAFLUSH, &saved)
      put("\n", to: descriptor)
    }
    if request.failedAttempts > 0 { put("\(request.secret.refusal)\n", to: descriptor) }
    put("\(request.reason.asTerminalLine)\n\(request.secret.prompt): ", to: descriptor)
    return readLine(from: descriptor, for: request)
  }

  private func readLine(from descriptor: Int32, for request: AuthenticationRequest) -> AuthenticationAnswer {
    var line: [UInt8] = []
    // Room for all there may be: an array that grows leaves copies behind.
    line.reserveCapacity(Passphrase.maximumByteCount)
    while true {
      guard let key = nextKey(from: descriptor, for: request) else {
        _ = Passphrase(moving: &line)
        return .cancelled
      }
      switch key {
      case 10, 13: return .passphrase(Passphrase(moving: &line))
      case 3, 4:
        _ = Passphrase(moving: &line)
        return .cancelled
      case 8, 127:
        // A character of several bytes goes as a whole.
        while let last = line.last {
          // What is behind the end is wiped by nobody later.
          line[line.count - 1] = 0
          line.removeLast()
          if last & 0xC0 != 0x80 { break }
        }
      case 21:
        for index in line.indices { line[index] = 0 }
        line.removeAll(keepingCapacity: true)
      default: if line.count < Passphrase.maximumByteCount { line.append(key) }
      }
    }
  }

  /// The next key; nil at the terminal's end or when the request is cancelled.
  private func nextKey(from descriptor: Int32, for request: AuthenticationRequest) -> UInt8? {
    while !request.isCancelled {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&event, 1, pollMilliseconds) > 0 else { continue }
      var key: UInt8 = 0
      let count = unsafe read(descriptor, &key, 1)
      if count < 0 && errno == EINTR { continue }
      return count == 1 ? key : nil
    }
    return nil
  }

  private func put(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = unsafe write(descriptor, bytes, bytes.count)
  }
}

/// How long a prompter waits before it looks whether it is still wanted.
let pollMilliseconds: Int32 = 100

extension AuthenticationRequest.Secret {
  /// What stands before the place to type.
  var prompt: String {
    switch self {
    case .passphrase: "Passphrase"
    case .applicationPassword: "Password"
    case .newApplicationPassword: "New password"
    case .repeatedApplicationPassword: "The same again"
    }
  }

  /// What is said of an answer that was no use.
  var refusal: String {
    self == .newApplicationPassword ? "The two were not the same." : "That was not it."
  }
}
