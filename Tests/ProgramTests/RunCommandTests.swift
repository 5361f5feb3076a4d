import CofferTestSupport
import Foundation
import Testing

/// Programs that get secrets in their environment or in files in memory.
@Suite struct RunCommandTests {
  private let machine: Machine
  private let token = "coffer:///github.com/jane"

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "github.com", "jane", input: "s3cret-value")
  }

  private func run(_ arguments: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["run"] + arguments).wait()
  }

  private func store(_ bytes: Data, _ service: String) throws {
    #expect(try machine.start("coffer", ["set", service, "a"], input: bytes).wait().exitCode == 0)
  }

  @Test func `The program gets what references name, and everything else as without coffer`() throws {
    // The limits of core dumps, and the signals that it ignores and blocks.
    let script = """
      printf %s "$A|$B"; ulimit -Sc; ulimit -Hc; exec grep -E 'SigIgn|SigBlk' /proc/self/status
      """
    let outcome = try run("--env", "A=\(token)", "--env", "B=\(token)#account", "--", "sh", "-c", script)
    let direct = try machine.start(
      "/bin/sh", ["-c", script], environment: ["A": "s3cret-value", "B": "jane"]
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(outcome.output == direct.output && outcome.text.hasPrefix("s3cret-value|jane"), "\(outcome) \(direct)")
    let files = try run("--env", "A=\(token)", "--", "sh", "-c", "ls -l /proc/$$/fd | grep \"$COFFER_HOME\"; exit 7")
    #expect(files.exitCode == 7 && files.output.isEmpty, "\(files)")
  }

  @Test(arguments: [[], ["--mask"]])
  func `Signals that are ignored stay ignored, as nohup and shells need it`(mask: [String]) throws {
    let script = "trap '' HUP INT QUIT USR1 PIPE CHLD WINCH; exec \"$@\""
    let shown = ["grep", "SigIgn", "/proc/self/status"]
    let direct = try machine.start("/bin/sh", ["-c", script, "sh"] + shown).wait()
    let outcome = try machine.start(
      "/bin/sh",
      ["-c", script, "sh", Machine.path(of: "coffer"), "run"] + mask + ["--env", "A=\(token)", "--"] + shown
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.text == direct.text, "\(outcome) \(direct)")
  }

  @Test func `The program has the process of coffer, and ends by its own signal`() throws {
    let running = try machine.start(
      "coffer", ["run", "--env", "A=\(token)", "--", "sh", "-c", "echo $$; kill -TERM $$"])
    let outcome = try running.wait()
    #expect(outcome.signal == SIGTERM && outcome.text == "\(running.processIdentifier)", "\(outcome)")
  }

  @Test func `Arguments reach the program as bytes, also passwords in URLs and text of other encodings`() throws {
    let file = try machine.directory.write(
      "script", "exec \"$1\" run -- printf '%s|' https://u:pw-in-url@h/ \"$(printf 'a\\377b')\" --env -- x")
    let outcome = try machine.start("/bin/sh", [file, Machine.path(of: "coffer")]).wait()
    #expect(outcome.output == Data("https://u:pw-in-url@h/|a".utf8) + [0xFF] + Data("b|--env|--|x|".utf8), "\(outcome)")
  }

  @Test func `A file in memory has the value byte for byte, also for programs that the program starts`() throws {
    let value = Data([0, 0xFF, 10, 13]) + Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try store(value, "file")
    let expected = machine.directory.url.appending(path: "expected")
    try value.write(to: expected)
    for mask in [[], ["--mask"]] {
      let outcome = try machine.start(
        "coffer",
        ["run"] + mask + [
          "--file", "F=coffer:///file/a", "--", "python3", "-c",
          """
          import os, subprocess, sys
          path = os.environ["F"]
          assert oct(os.stat(path).st_mode & 0o777) == "0o400", oct(os.stat(path).st_mode)
          try: open(path, "r+b", buffering=0).write(b"x"); sys.exit("written")
          except OSError: pass
          sys.exit(subprocess.run(["cmp", path, sys.argv[1]], close_fds=True).returncode)
          """, expected.path,
        ]
      ).wait()
      #expect(outcome.exitCode == 0, "\(mask): \(outcome)")
    }
  }

  @Test(arguments: [[], ["--mask"]])
  func `A variable that the environment has twice gets the one value`(mask: [String]) throws {
    // No shell passes on a variable twice.
    let script = """
      import ctypes, os, sys
      def array(texts): return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
      words = [os.fsencode(word) for word in sys.argv[1:]]
      variables = [name + b"=" + value for name, value in os.environb.items()]
      ctypes.CDLL(None).execve(words[0], array(words), array([b"F=1", b"A=1", b"F=2", b"A=2"] + variables))
      """
    let command =
      ["run"] + mask + [
        "--file", "F=\(token)#account", "--env", "A=\(token)#account", "--", "sh", "-c",
        "cat \"$F\"; echo \" $A\"; tr '\\0' '\\n' < /proc/$$/environ | grep -c '^[FA]='",
      ]
    let outcome = try machine.start("/usr/bin/env", ["python3", "-c", script, Machine.path(of: "coffer")] + command)
      .wait()
    let shown = mask.isEmpty ? "jane" : "[masked]"
    #expect(outcome.exitCode == 0 && outcome.text == "\(shown) \(shown)\n2", "\(outcome)")
  }

  @Test func `A value that no variable can have is refused by name, and names --file`() throws {
    try store(Data([65, 0]), "nul")
    expectFailure(try run("--env", "N=coffer:///nul/a", "--", "true"), 2, "N: the value has a NUL", "--file N=")
    try store(Data(repeating: 65, count: 131_072), "large")
    expectFailure(try run("--env", "L=coffer:///large/a", "--", "true"), 2, "L: the value is larger", "--file L=")
    // Newlines, other encodings and the largest size are kept.
    let largest = Data([0xFF, 10]) + Data(repeating: 66, count: 131_067)
    try store(largest, "largest")
    let outcome = try run(
      "--env", "L=coffer:///largest/a", "--", "python3", "-c",
      "import os,sys; sys.stdout.buffer.write(os.environb[b'L'])")
    #expect(outcome.output == largest)
  }

  @Test func `A file with variables is read, later ones and options win, and its texts are kept`() throws {
    let first = try machine.directory.write(
      "first.env", "# comment\n\nA=\(token)\r\nexport B=\"two words # $A\"\n  C='\(token)#account'\nD=\n")
    let second = try machine.directory.write("second.env", "B=later\n")
    let print = ["--", "sh", "-c", "printf '%s\\n' \"$A\" \"$B\" \"$C\" \"${D-unset}\""]
    let outcome = try machine.start("coffer", ["run", "--env-file", first] + print).wait()
    #expect(outcome.text == "s3cret-value\ntwo words # $A\njane", "\(outcome)")
    let both = try machine.start(
      "coffer", ["run", "--env-file", first, "--env-file", second, "--env", "C=\(token)"] + print
    ).wait()
    #expect(both.text == "s3cret-value\nlater\ns3cret-value", "\(both)")
    for (content, part) in [
      ("A=1\nA=2", "line 2 of"), ("two words", "sets no variable"), ("1A=b", "sets no variable"),
      ("A=coffer:///x", "three"), ("A=op://v/i/f", "--map"),
    ] {
      let file = try machine.directory.write("bad.env", content)
      expectFailure(try run("--env-file", file, "--", "true"), 2, part, "line")
    }
    expectFailure(try run("--env-file", "/absent", "--", "true"), 2, "cannot read the file with variables /absent")
  }

  @Test func `A reference that the environment has is resolved, or named where it stays`() throws {
    let map = try machine.directory.write("map", "op://v/i/f coffer:///github.com/jane\n")
    func run(_ options: String..., environment: [String: String]) throws -> Machine.Outcome {
      let command = ["run"] + options + ["--", "sh", "-c", "printf '%s|%s' \"$T\" \"$U\""]
      return try machine.start("coffer", command, environment: environment).wait()
    }
    let own = try run(environment: ["T": token, "U": "\(token)#account"])
    #expect(own.exitCode == 0 && own.text == "s3cret-value|jane" && own.errors.isEmpty, "\(own)")
    #expect(try run("--mask", environment: ["T": token]).text == "[masked]|")
    #expect(try run("--env", "T=\(token)#account", environment: ["T": "coffer:///no/item"]).text == "jane|")
    #expect(try run("--map", map, environment: ["T": "op://v/i/f"]).text == "s3cret-value|")
    expectFailure(try run(environment: ["T": "coffer:///no/item"]), 3, "T in the environment: there is no such item")
    expectFailure(try run("--map", map, environment: ["T": "op://v/i/g"]), 2, "T in the environment", "op://v/i/g")
    // The program of 1Password may read them.
    let foreign = try run(environment: ["T": "op://v/i/f"])
    #expect(foreign.text == "op://v/i/f|" && foreign.errors.contains("T in the environment stays a reference"))
    #if os(Linux)
      let denied = try run("--deny-reads", environment: ["T": token])
      #expect(
        denied.text == "\(token)|" && denied.errors.contains("T in the environment stays a reference"), "\(denied)")
    #endif
  }

  @Test func `What names nothing, and what is no reference, starts nothing`() throws {
    let marker = machine.directory.path("started")
    for (reference, code, part) in [
      ("coffer:///github.com/jan", Int32(3), "A: there is no such item"),
      ("hunter2-typed", 2, "A: this is not a reference"),
      ("coffer://no.such.group/s/a", 4, "no.such.group"),
      ("\(token)#nothing", 2, "A: the item has no attribute nothing"),
    ] {
      let outcome = try run("--env", "A=\(reference)", "--", "touch", marker)
      #expect(outcome.exitCode == code && outcome.errors.contains(part), "\(outcome)")
      #expect(!outcome.errors.contains("hunter2"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: marker))
    }
  }

  @Test(arguments: [[], ["--mask"]])
  func `A program that does not exist is 127, and one that cannot be started 126`(mask: [String]) throws {
    let absent = try machine.start("coffer", ["run"] + mask + ["--", "no-such-program"]).wait()
    expectFailure(absent, 127, "cannot start no-such-program: No such file")
    let data = try machine.directory.write("data", "text")
    expectFailure(try machine.start("coffer", ["run"] + mask + ["--", data]).wait(), 126, "Permission denied")
  }

  @Test func `Wrong command lines name the mistake`() throws {
    expectFailure(try run("--env", "A=\(token)"), 2, "after --", "coffer run --help")
    expectFailure(try run("--env", "A", "--", "true"), 2, "TOKEN=coffer:///github.com/jane")
    expectFailure(try run("--env", "A=\(token)", "--file", "A=\(token)", "--", "true"), 2, "set A twice")
    expectFailure(try run("true"), 2, "coffer run --help")
  }

  @Test func `No value is in an argument, a file or the output of any process`() throws {
    let trace = machine.directory.path("trace")
    let outcome = try machine.start(
      "/usr/bin/env",
      [
        "strace", "-f", "-s", "200000", "-e", "trace=execve,openat,write,pwrite64,writev,rename,sendto,sendmsg", "-o",
        trace,
        Machine.path(of: "coffer"), "run", "--env", "A=\(token)", "--", "sh", "-c", "test ${#A} = 12",
      ]
    ).wait()
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "\(outcome)") }
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(text.contains("execve(") && text.contains("test ${#A}"))
    // strace shows the number of the variables and not their texts.
    #expect(!text.contains("s3cret-value"), "\(text)")
  }

  @Test func `With a headless credential, a job gets its secrets in one line`() throws {
    let job = try Machine()
    job.environment = try machine.makeHeadlessJob()
    let outcome = try job.start(
      "coffer",
      ["run", "--mask", "--env", "A=\(token)", "--", "sh", "-c", "test \"$A\" = s3cret-value && echo \"got $A\""]
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.text == "got [masked]", "\(outcome)")
  }

  @Test func `The owner's own secrets and those of other groups need the passphrase, once for all of them`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", passphrase)
    let alone = ["setsid", "--wait"]
    for (name, group) in [("own", []), ("other", ["--group", "com.example.photo.pro"])] {
      try machine.succeed("coffer", ["set", name, "a", "--passphrase-file", passphrase] + group, input: name)
    }
    let own = ["run", "--env", "A=coffer:///own/a"]
    #expect(try machine.start("coffer", own + ["--", "true"], wrapper: alone).wait().exitCode == 5)
    let both = ["run", "--env", "A=coffer:///own/a", "--env", "B=coffer://com.example.photo.pro/other/a"]
    let script = ["--", "sh", "-c", "echo $A $B"]
    #expect(try machine.start("coffer", both + script, wrapper: alone).wait().exitCode == 5)
    #expect(try machine.succeed("coffer", both + ["--passphrase-file", passphrase] + script) == "own other")
  }

  @Test func `A group whose name is the end of the owner's group is not taken for it`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    let plist = try machine.plist("com.example.other", groups: ["~personal"])
    try machine.coffer("app", "add", plist, "--passphrase-file", passphrase)
    for (name, group) in [("own", []), ("other", ["--group", "personal"])] {
      try machine.succeed("coffer", ["set", name, "a", "--passphrase-file", passphrase] + group, input: name)
    }
    let read = ["read", "coffer://personal/other/a"]
    let alone = ["setsid", "--wait"]
    // It asks for the passphrase, which nobody can type here.
    #expect(try machine.start("coffer", read, wrapper: alone).wait().exitCode == 5)
    #expect(try machine.succeed("coffer", read + ["--passphrase-file", passphrase]) == "other")
    let own = ["read", "coffer://coffer.personal/own/a"]
    #expect(try machine.start("coffer", own, wrapper: alone).wait().exitCode == 5)
    #expect(try machine.succeed("coffer", own + ["--passphrase-file", passphrase]) == "own")
  }
}
