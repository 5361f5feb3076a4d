import CofferTestSupport
import Foundation
import Testing

/// `--clip` with the clipboards of real desktops, which are in memory.
@Suite struct DesktopClipboardTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "api", "jane", input: "s3cret\nvalue ü\n")
  }

  /// Copies the value with only one of the programs, pastes it with another command, and waits until it is cleared.
  private func copy(with program: String, paste: [String], environment desktop: [String: String]) throws {
    let folder = machine.directory.path("bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // wl-copy runs the last two.
    for name in [program, paste[0], "cat", "rm"] where !FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
      let path = try #require(VirtualDesktop.path(of: name), "run Scripts/bootstrap --with desktop")
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: path)
    }
    let environment = desktop.merging(["PATH": folder]) { $1 }
    let outcome = try machine.run("coffer", "get", "api", "--clip", "--clear-after", "8s", environment: environment)
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    func pasted() throws -> Data? {
      let arguments = ["5", "\(folder)/\(paste[0])"] + paste.dropFirst()
      let outcome = try machine.start("/usr/bin/timeout", arguments, environment: environment).wait()
      // xsel waits for ever for an owner of the clipboard that ends between the question and the answer.
      return outcome.exitCode == 124 ? nil : outcome.output
    }
    // xsel ends before the process that serves the clipboard does so.
    try waitUntil("the value is in the clipboard") { try pasted() == Data("s3cret\nvalue ü\n".utf8) }
    try waitUntil("the clipboard is cleared") { try pasted() == Data() }
    try waitUntil("the process has ended") { try machine.processes(named: ["coffer"]).isEmpty }
  }

  @Test func `On X11, xclip and xsel copy a value and clear it`() throws {
    let desktop = try VirtualDesktop()
    let environment = ["DISPLAY": desktop.display]
    try copy(with: "xclip", paste: ["xclip", "-selection", "clipboard", "-o"], environment: environment)
    try FileManager.default.removeItem(atPath: machine.directory.path("bin/xclip"))
    try copy(with: "xsel", paste: ["xsel", "--clipboard", "--output"], environment: environment)
  }

  @Test func `On Wayland, wl-copy copies a value and clears it`() throws {
    let desktop = try VirtualWayland()
    try copy(with: "wl-copy", paste: ["wl-paste", "--no-newline"], environment: desktop.environment)
  }
}
