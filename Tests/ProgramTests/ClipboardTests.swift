import CofferTestSupport
import Foundation
import Testing

/// `coffer get --clip`, with the programs of a desktop's clipboard, which keep it in a file here.
@Suite struct ClipboardTests {
  private let machine: Machine
  private let folder: String
  private var clipboard: String { machine.directory.path("clipboard") }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    folder = machine.directory.path("bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // The programs of a desktop that this machine may have are not to be found.
    for tool in ["cat", "mv", "touch"] {
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(tool)", withDestinationPath: "/bin/\(tool)")
    }
    try machine.coffer("set", "api", "jane", input: "s3cret-value\n")
  }

  /// Installs programs that copy and paste, and note their arguments.
  private func install(_ copy: String, _ paste: String) throws {
    let path = machine.directory.path
    for (name, script) in [(copy, "cat > \(path)/new && mv \(path)/new \(clipboard)"), (paste, "cat \(clipboard)")] {
      let own =
        name == copy && copy == paste
        ? "case \"$*\" in *-o*) cat \(clipboard);; *) \(script);; esac" : script
      let file = try machine.directory.writeScript("bin/\(name)", "echo \"\(name) $*\" >> \(path)/arguments\n\(own)")
      #expect(FileManager.default.isExecutableFile(atPath: file))
      if copy == paste { break }
    }
  }

  private func run(_ options: String..., environment: [String: String]) throws -> Machine.Outcome {
    try machine.start(
      "coffer", ["get", "api", "jane", "--clip"] + options, environment: environment.merging(["PATH": folder]) { $1 }
    ).wait()
  }

  private var content: String? {
    FileManager.default.contents(atPath: clipboard).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    ("wl-copy", "wl-paste", ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"]), ("xclip", "xclip", ["DISPLAY": ":0"]),
    ("xsel", "xsel", ["DISPLAY": ":0"]),
  ])
  func `The value is copied, printed nowhere, and cleared when its time is over`(
    copy: String, paste: String, environment: [String: String]
  ) throws {
    try install(copy, paste)
    let outcome = try run("--clear-after", "2s", environment: environment)
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "Copied to the clipboard, which is cleared in 2s\n")
    #expect(content == "s3cret-value\n")
    try waitUntil("the clipboard is cleared") { content == "" }
    let arguments = try String(contentsOfFile: machine.directory.path("arguments"), encoding: .utf8)
    #expect(arguments.hasPrefix(copy) && !arguments.contains("s3cret"), "\(arguments)")
  }

  @Test func `What was copied in between stays`() throws {
    try install("wl-copy", "wl-paste")
    let marker = machine.directory.path("pasted")
    try machine.directory.writeScript("bin/wl-paste", "cat \(clipboard); touch \(marker)")
    #expect(try run("--clear-after", "1s", environment: ["WAYLAND_DISPLAY": "w"]).exitCode == 0)
    try Data("other".utf8).write(to: URL(fileURLWithPath: clipboard))
    try waitUntil("the clipboard was looked at") { FileManager.default.fileExists(atPath: marker) }
    try waitUntil("the process has ended") { try machine.processes(named: ["coffer"]).isEmpty }
    #expect(content == "other")
  }

  @Test func `Without a desktop or a program for it, nothing is read and the error says so`() throws {
    expectFailure(try run(environment: [:]), 1, "there is no clipboard", "on a desktop")
    let none = try machine.run(
      "coffer", "get", "api", "jane", "--clip", environment: ["DISPLAY": ":0", "PATH": folder])
    expectFailure(none, 1, "there is no clipboard", "install wl-clipboard")
    expectFailure(try machine.run("coffer", "get", "api", "--clip", "--json"), 2, "coffer get --help")
    expectFailure(try machine.run("coffer", "get", "api", "--clear-after", "5s"), 2, "coffer get --help")
  }

  @Test func `The process that clears the clipboard does not have the value`() throws {
    try install("wl-copy", "wl-paste")
    #expect(try run("--clear-after", "1h", environment: ["WAYLAND_DISPLAY": "w"]).exitCode == 0)
    let process = try #require(try machine.processes(named: ["coffer"]).first)
    defer { kill(process, SIGKILL) }
    let line = try #require(FileManager.default.contents(atPath: "/proc/\(process)/cmdline"))
    #expect(String(decoding: line, as: UTF8.self).contains("---clear-clipboard\0"))
    #expect(try ProcessMemory(of: process).count(of: "s3cret-value") == 0)
  }
}
