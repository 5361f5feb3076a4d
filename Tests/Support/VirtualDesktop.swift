internal import Foundation

/// A display in memory (Xvfb), and a user who types into the windows that it shows (xdotool).
package final class VirtualDesktop {
  /// The value of `DISPLAY`.
  package let display: String
  private let folder: TemporaryDirectory
  private let server: SpawnedProgram

  /// Starts a display.
  package init() throws {
    folder = try TemporaryDirectory()
    let number = folder.path("number")
    // A file instead of a pipe; the server writes the number when it is ready. It must not begin anew when the last
    // program leaves it, which would cut off one that connects at that moment.
    server = try SpawnedProgram([
      "sh", "-c", "exec Xvfb -noreset -displayfd 3 -screen 0 640x480x24 3>\"$1\"", "sh", number,
    ])
    let deadline = ContinuousClock.now + longestWait
    while true {
      let text = (try? String(contentsOfFile: number, encoding: .utf8)) ?? ""
      if text.hasSuffix("\n"), let name = Int(text.trimmingCharacters(in: .newlines)) {
        display = ":\(name)"
        return
      }
      guard server.isRunning, ContinuousClock.now < deadline else {
        throw SpawnedProgram.Failure(description: "Xvfb does not start")
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  deinit {
    // It inherits a mask of a test's thread, which may block the signals that it would end by. So it cannot tidy up.
    server.end(signal: 9)
    let number = display.dropFirst()
    for path in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Returns the path of a program in `PATH`; nil if it is not installed.
  package static func path(of program: String) -> String? {
    try? Command.run("sh", "-c", "command -v \"$1\"", "sh", program)
  }

  /// Types a line into the window that is shown, and again as long as `isOpen` is true: a window may be visible before
  /// it has the keyboard.
  package func type(_ line: String, while isOpen: () throws -> Bool) throws {
    // Selects what an earlier attempt may have typed.
    try use([["key", "ctrl+a", "type", "--delay", "1", line], ["key", "Return"]], while: isOpen)
  }

  /// Presses keys in the window that is shown, one after the other, as ``type(_:while:)`` types.
  package func press(_ keys: [String], while isOpen: () throws -> Bool) throws {
    try use(keys.map { ["key", $0] }, while: isOpen)
  }

  /// Waits until a window is shown. Throws if `isExpected` becomes false.
  package func awaitWindow(while isExpected: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + longestWait
    while window == nil {
      guard try isExpected(), ContinuousClock.now < deadline else {
        throw SpawnedProgram.Failure(description: "no window is shown")
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private var window: String? {
    try? xdotool(["search", "--onlyvisible", "--name", "."]).split(separator: "\n").last.map(String.init)
  }

  private func use(_ actions: [[String]], while isOpen: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + longestWait
    while try isOpen() {
      guard ContinuousClock.now < deadline else {
        throw SpawnedProgram.Failure(description: "the window does not accept the text")
      }
      if let window {
        _ = try? xdotool(["windowfocus", window])
        for action in actions { _ = try? xdotool(action) }
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private func xdotool(_ arguments: [String]) throws -> String {
    try Command.run(arguments: ["xdotool"] + arguments, environment: ["DISPLAY": display])
  }
}
