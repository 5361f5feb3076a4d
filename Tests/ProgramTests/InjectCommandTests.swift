import CofferTestSupport
import Foundation
import Testing

/// Templates that are filled with secrets, and the variables of a project.
@Suite struct InjectCommandTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "github.com", "jane", input: "s3cret-value")
    try machine.coffer("set", "key", "a", input: "it's\nof $two `lines`\n")
  }

  private func inject(_ template: String, _ options: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["inject", "-i", "-", "-o", "-"] + options, input: Data(template.utf8)).wait()
  }

  @Test func `Only references in double braces are replaced, by the bytes of the values`() throws {
    let template = "a={{ coffer:///github.com/jane }}\r\nb={{coffer:///key/a}}{{\tcoffer:///github.com/jane#account }}"
    #expect(try inject(template).output == Data("a=s3cret-value\r\nb=it's\nof $two `lines`\njane".utf8))
    let others = "{{ .Values.x }} {{{{ }} scoffer:///github.com/jane {{ \u{1}\0\n"
    #expect(try inject(others).output == Data(others.utf8))
    #expect(try inject("{{{ coffer:///github.com/jane }}}").text == "{s3cret-value}")
  }

  @Test func `A template of a hundred thousand references, in one line or in many, is read once`() throws {
    for separator in [" ", "\n"] {
      let template = Array(repeating: "{{ coffer:///github.com/jane }}", count: 100_000).joined(separator: separator)
      let expected = Array(repeating: "s3cret-value", count: 100_000).joined(separator: separator)
      #expect(try inject(template).output == Data(expected.utf8))
    }
    // The last line is named, although each line before it has a reference.
    let broken = String(repeating: "{{ coffer:///github.com/jane }}\n", count: 100_000) + "{{ coffer:///github.com/jane"
    expectFailure(try inject(broken), 2, "line 100001 of standard input: the reference has no end")
    let braces = String(repeating: "{", count: 8 << 20) + String(repeating: "{{ ", count: 1 << 20)
    #expect(try inject(braces).output == Data(braces.utf8))
  }

  @Test func `The output is private, replaces a file in one step, and is not written if a reference names nothing`()
    throws
  {
    let template = try machine.directory.write("template", "{{ coffer:///github.com/jane }}")
    let output = try machine.directory.write("output", "old", permissions: 0o644)
    try machine.succeed(
      "/bin/sh",
      ["-c", "umask 0; exec \"$@\"", "sh", Machine.path(of: "coffer"), "inject", "-i", template, "-o", output])
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "s3cret-value")
    let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    let bad = try machine.directory.write("bad", "line\n{{ coffer:///github.com/jan }}")
    let outcome = try machine.run("coffer", "inject", "-i", bad, "-o", output)
    expectFailure(outcome, 3, "line 2 of \(bad): there is no such item", "did you mean github.com, jane?")
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "s3cret-value")
    let left = try FileManager.default.contentsOfDirectory(atPath: machine.directory.path).filter {
      $0.hasPrefix(".coffer-")
    }
    #expect(left.isEmpty)
    let link = machine.directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: output)
    expectFailure(try machine.run("coffer", "inject", "-i", template, "-o", link), 2, "no regular file")
    expectFailure(
      try machine.run("coffer", "inject", "-i", template, "-o", "/absent/file"), 1, "cannot write /absent/file")
    expectFailure(try machine.run("coffer", "inject", "-i", machine.directory.path, "-o", "-"), 2, "a folder")
  }

  @Test func `If coffer is killed while it writes, the old output and no other file are there`() throws {
    let folder = try TemporaryDirectory()
    let template = try machine.directory.write("template", "{{ coffer:///github.com/jane }}")
    let output = try folder.write("output", "old")
    let trace = machine.directory.path("trace")
    let outcome = try machine.start(
      "/usr/bin/env",
      [
        "strace", "-f", "-o", trace, "-e", "trace=openat,fsync", "-e", "inject=fsync:signal=KILL",
        Machine.path(of: "coffer"), "inject", "-i", template, "-o", output,
      ]
    ).wait()
    #expect(outcome.signal == SIGKILL, "\(outcome)")
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(calls.contains { $0.contains("\"\(folder.path)\"") && $0.contains("O_TMPFILE") })
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["output"])
  }

  @Test func `A malformed reference is named by its line`() throws {
    expectFailure(try inject("\n\n{{ coffer:///x }}"), 2, "line 3 of standard input: this is not a reference")
    expectFailure(
      try inject("{{ coffer:///github.com/jane\n}}"), 2, "line 1 of standard input: the reference has no end")
  }

  @Test func `A template of 1Password is read with a map`() throws {
    let map = try machine.directory.write(
      "map",
      "# ours\nop://Private/My Item/password coffer:///github.com/jane\nop://v/i/f\tcoffer:///key/a\n".replacing(
        "\t", with: " "))
    let template = "{{ op://Private/My Item/password }} {{op://v/i/f}}"
    #expect(try inject(template, "--map", map).output == Data("s3cret-value it's\nof $two `lines`\n".utf8))
    expectFailure(try inject(template), 2, "op://Private/My Item/password", "--map")
    expectFailure(try inject("{{ op://v/i/g }}", "--map", map), 2, "op://v/i/g", "add a line to \(map)")
    #expect(try machine.coffer("read", "op://v/i/f", "--map", map) == "it's\nof $two `lines`")
    for line in ["op://v/i/f", "coffer:///a/b coffer:///a/b", "op://v/i/f coffer:///a"] {
      expectFailure(try inject("x", "--map", try machine.directory.write("bad-map", line)), 2, "line 1 of")
    }
  }

  @Test func `env prints lines that a shell evaluates to the values`() throws {
    let manifest = try machine.directory.write(".coffer.env", "TOKEN=coffer:///github.com/jane\nKEY=coffer:///key/a\n")
    let script = "cd \"$1\" && eval \"$(\"$2\" env)\" && printf '%s|%s' \"$TOKEN\" \"$KEY\" && env | grep -c '^TOKEN='"
    let outcome = try machine.start(
      "/bin/sh", ["-c", script, "sh", machine.directory.path, Machine.path(of: "coffer")]
    ).wait()
    #expect(outcome.text == "s3cret-value|it's\nof $two `lines`\n1", "\(outcome)")
    struct Row: Decodable { let name, secretReference, value: String }
    let rows = try machine.json([Row].self, "env", manifest)
    #expect(rows.map(\.name) == ["TOKEN", "KEY"] && rows[0].value == "s3cret-value")
    #expect(rows[0].secretReference == "coffer:///github.com/jane")
  }

  @Test func `env refuses a text in place of a reference without repeating it, a value with NUL, and a terminal`()
    throws
  {
    let plain = try machine.directory.write("plain.env", "TOKEN=hunter2-plain\n")
    let outcome = try machine.run("coffer", "env", plain)
    expectFailure(outcome, 2, "line 1 of \(plain): TOKEN has a text in place of a reference")
    #expect(!outcome.errors.contains("hunter2"))
    #expect(try machine.start("coffer", ["set", "nul", "a"], input: Data([0])).wait().exitCode == 0)
    let nul = try machine.directory.write("nul.env", "T=coffer:///github.com/jane\nN=coffer:///nul/a\n")
    let refused = try machine.run("coffer", "env", nul)
    expectFailure(refused, 2, "N in line 2 of", "coffer run --file N=")
    #expect(refused.output.isEmpty)
    let terminal = try PseudoTerminal(machine, "env", plain)
    #expect(
      terminal.wait() == 2 && terminal.screen.contains("the terminal would show the values"), "\(terminal.screen)")
  }
}
