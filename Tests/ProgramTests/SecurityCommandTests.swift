import CofferTestSupport
import Foundation
import Testing

/// `coffer security`, as scripts for macOS use that program: each idiom in a real shell, by a link with its name.
@Suite struct SecurityCommandTests {
  private let machine: Machine
  private let path: String

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    let folder = machine.directory.path("bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/security", withDestinationPath: Machine.path(of: "coffer"))
    path = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    try machine.coffer("security", "add-generic-password", "-s", "api", "-a", "jane", "-w", "s3cret-value")
  }

  /// Runs a script with /bin/sh, without a terminal.
  private func sh(_ script: String, input: String = "") throws -> Machine.Outcome {
    try machine.start(
      "/bin/sh", ["-c", script], input: Data(input.utf8), environment: ["PATH": path], wrapper: ["setsid", "--wait"]
    ).wait()
  }

  private func run(_ words: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["security"] + words, wrapper: ["setsid", "--wait"]).wait()
  }

  // MARK: The idioms

  @Test(arguments: [
    "security find-generic-password -s api -a jane -w", "security find-generic-password -w -s api -a jane",
    "security find-generic-password -gs api -w", "security find-generic-password -l api -a jane -w",
    "security find-generic-password -sapi -ajane -w login.keychain",
    "security find-generic-password -a jane -w ~/Library/Keychains/login.keychain-db",
    "security -q find-generic-password -s api -w",
  ])
  func `Each way to name a password prints it with a newline`(script: String) throws {
    let outcome = try sh(script)
    #expect(outcome.exitCode == 0 && outcome.output == Data("s3cret-value\n".utf8), "\(outcome)")
    #expect(outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `A password that is missing leaves a variable empty`() throws {
    let outcome = try sh("V=\"$(security find-generic-password -s absent -w 2>/dev/null || true)\"; echo \"[$V]\"")
    #expect(outcome.exitCode == 0 && outcome.text == "[]", "\(outcome)")
  }

  @Test func `The exit code says whether a password exists`() throws {
    for (name, code) in [("api", "0"), ("absent", "44")] {
      #expect(try sh("security find-generic-password -s \(name) -a jane >/dev/null 2>&1; echo $?").text == code)
    }
    let missing = try run("find-generic-password", "-s", "absent")
    #expect(
      missing.errors
        == "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n")
    #expect(missing.output.isEmpty && missing.exitCode == 44)
  }

  @Test func `-g prints the password on standard error, from which scripts cut it`() throws {
    let outcome = try sh(
      #"security find-generic-password -ga jane 2>&1 >/dev/null | sed -n 's/^password: "\(.*\)"$/\1/p'"#)
    #expect(outcome.text == "s3cret-value", "\(outcome)")
    try machine.coffer("set", "lines", "a", input: "one\n\"two\\\u{E9}")
    let hex = try sh("security find-generic-password -gs lines 2>&1 >/dev/null")
    #expect(
      hex.text == #"password: 0x6F6E650A2274776F5CC3A9  "one\012"two\134\303\251""#, "\(hex)")
    try machine.coffer("set", "bytes", "a", input: "\u{1}\u{2}")
    #expect(
      try sh("security find-generic-password -gs bytes 2>&1 >/dev/null").output == Data("password: 0x0102 \n".utf8))
  }

  @Test func `A value that is not printable is hexadecimal, which xxd turns back`() throws {
    try machine.coffer("set", "lines", "a", input: "one\ntwo\n")
    #expect(try sh("security find-generic-password -s lines -w").output == Data("6f6e650a74776f0a\n".utf8))
    let back =
      "security find-generic-password -s lines -w | python3 -c 'import sys; print(bytes.fromhex(sys.stdin.read()))'"
    #expect(try sh(back).text == #"b'one\ntwo\n'"#)
  }

  @Test func `JSON in a password reaches the program that reads it`() throws {
    try machine.coffer("set", "json", "a", input: #"{"token": "x y"}"#)
    let outcome = try sh(
      "security find-generic-password -s json -w | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"token\"])'"
    )
    #expect(outcome.text == "x y", "\(outcome)")
  }

  @Test func `add -U replaces a password, and without it a second one is a duplicate`() throws {
    let outcome = try sh("V=new; security add-generic-password -U -s api -a jane -w \"$V\"")
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    #expect(try machine.coffer("get", "api", "jane") == "new")
    let second = try sh("security add-generic-password -s api -a jane -w other")
    #expect(second.exitCode == 45, "\(second)")
    #expect(
      second.errors
        == "security: SecKeychainItemCreateFromContent (<default>): The specified item already exists in the keychain.\n"
    )
    #expect(try machine.coffer("get", "api", "jane") == "new")
    // An update without a password keeps it.
    #expect(try run("add-generic-password", "-U", "-s", "api", "-a", "jane", "-j", "a comment").exitCode == 0)
    #expect(try machine.coffer("get", "api", "jane") == "new")
    #expect(try machine.coffer("show", "api", "jane").contains("a comment"))
    #expect(try sh("security add-generic-password -U -s made -a jane -w v").exitCode == 0)
    #expect(try machine.coffer("get", "made", "jane") == "v")
  }

  @Test func `A list of programs has no effect, which is said and changes nothing else`() throws {
    let outcome = try sh("security add-generic-password -s list -a jane -T '' -T /usr/bin/security -A -w v")
    #expect(outcome.exitCode == 0 && outcome.errors.contains("-A and -T have no effect"), "\(outcome)")
    #expect(try machine.coffer("get", "list", "jane") == "v")
  }

  @Test func `-w as the last option asks twice on the terminal, and reads lines without one`() throws {
    let terminal = try PseudoTerminal(machine, "security", "add-generic-password", "-s", "asked", "-a", "jane", "-w")
    for text in ["one\n", "two\n", "typed\n", "typed\n"] {
      try terminal.await(" new item: ")
      #expect(!terminal.echoes)
      terminal.type(text)
    }
    #expect(terminal.wait() == 0 && terminal.screen.contains("passwords don't match"), "\(terminal.screen)")
    #expect(try machine.coffer("get", "asked", "jane") == "typed")
    let lines = try sh("security add-generic-password -s piped -a jane -w", input: "piped value\npiped value\n")
    #expect(lines.exitCode == 0 && lines.errors.isEmpty, "\(lines)")
    #expect(try machine.coffer("get", "piped", "jane") == "piped value")
    #expect(try sh("security add-generic-password -s none -a jane -w").exitCode == 1)
    // Without -w, the password is empty.
    #expect(try run("add-generic-password", "-s", "empty", "-a", "jane").exitCode == 0)
    #expect(try run("find-generic-password", "-s", "empty", "-w").output == Data("\n".utf8))
  }

  @Test func `The account of an internet password is cut from its attributes`() throws {
    let added = try run(
      "add-internet-password", "-s", "git.example.com", "-a", "joe", "-r", "htps", "-P", "8443", "-p", "/x", "-w", "v")
    #expect(added.exitCode == 0 && added.errors.isEmpty, "\(added)")
    let script = #"security find-internet-password -s git.example.com | grep acct | awk -F\" '{print $4}'"#
    #expect(try sh(script).text == "joe")
    #expect(try run("find-internet-password", "-s", "git.example.com", "-r", "htps", "-w").text == "v")
    #expect(try run("find-internet-password", "-s", "git.example.com", "-P", "80", "-w").exitCode == 44)
    let duplicate = try run(
      "add-internet-password", "-s", "git.example.com", "-a", "joe", "-r", "htps", "-P", "8443", "-p", "/x")
    #expect(duplicate.exitCode == 45, "\(duplicate)")
    #expect(
      duplicate.errors
        == "security: SecKeychainAddInternetPassword <NULL>: The specified item already exists in the keychain.\n")
    #expect(try machine.coffer("get", "git.example.com", "joe", "--class", "internet") == "v")
  }

  @Test func `A loop deletes all passwords of a service, one by one`() throws {
    for account in ["a", "b", "c"] { try machine.coffer("set", "many", account, input: account) }
    let outcome = try sh(
      """
      while security find-generic-password -s many >/dev/null 2>&1; do
        security delete-generic-password -s many >/dev/null
      done
      """)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.errors == String(repeating: "password has been deleted.\n", count: 3))
    #expect(try machine.json([ItemRow].self, "list").map(\.service) == ["api"])
    #expect(try run("delete-generic-password", "-s", "many").exitCode == 44)
  }

  // MARK: Outputs

  @Test func `The attributes are printed as macOS prints them`() throws {
    let words = ["-s", "listed", "-a", "jané", "-l", "A label", "-c", "abcd", "-D", "a kind", "-j", "back\\slash"]
    #expect(try machine.start("coffer", ["security", "add-generic-password"] + words).wait().exitCode == 0)
    let lines = try run("find-generic-password", "-s", "listed").text.split(separator: "\n").map(String.init)
    #expect(
      lines.map { $0.replacing(/=0x[0-9A-F]{30}00  "[0-9]{14}Z\\000"/, with: "=DATE") } == [
        "keychain: \"\(machine.vault.path)\"", "version: 512", "class: \"genp\"", "attributes:",
        "    0x00000007 <blob>=\"A label\"", "    0x00000008 <blob>=<NULL>",
        "    \"acct\"<blob>=0x6A616EC3A9  \"jan\\303\\251\"", "    \"cdat\"<timedate>=DATE",
        "    \"crtr\"<uint32>=\"abcd\"", "    \"cusi\"<sint32>=<NULL>", "    \"desc\"<blob>=\"a kind\"",
        "    \"gena\"<blob>=<NULL>", "    \"icmt\"<blob>=0x6261636B5C736C617368  \"back\\134slash\"",
        "    \"invi\"<sint32>=<NULL>", "    \"mdat\"<timedate>=DATE", "    \"nega\"<sint32>=<NULL>",
        "    \"prot\"<blob>=<NULL>", "    \"scrp\"<sint32>=<NULL>", "    \"svce\"<blob>=\"listed\"",
        "    \"type\"<uint32>=<NULL>",
      ])
    #expect(try run("add-internet-password", "-s", "web", "-a", "jane", "-r", "htps").exitCode == 0)
    let web = try run("find-internet-password", "-s", "web").text
    for line in [
      "\"atyp\"<blob>=\"dflt\"", "\"port\"<uint32>=0x00000000 ", "\"ptcl\"<uint32>=\"htps\"", "\"srvr\"<blob>=\"web\"",
    ] { #expect(web.contains("    \(line)\n"), "\(web)") }
  }

  @Test func `Wrong options print the usage and exit with 2, and four-character codes have four characters`() throws {
    for words in [
      ["find-generic-password", "-x"], ["find-generic-password", "-s"], ["add-generic-password", "-s", "x"],
      ["add-generic-password", "-a", "x", "-w", "v"], ["add-generic-password", "-s", "x", "-a", "y", "k1", "k2"],
      ["delete-generic-password", "-s", "api", "-w"], ["find-internet-password", "-G", "x"],
      ["find-generic-password", "-h"],
      ["add-generic-password", "-s", "x", "-a", "y", "-X", "zz"], [],
    ] {
      let outcome = try machine.start("coffer", ["security"] + words).wait()
      #expect(
        outcome.exitCode == 2 && outcome.output.isEmpty && outcome.errors.hasPrefix("Usage: "), "\(words) \(outcome)")
    }
    let code = try run("find-internet-password", "-r", "ssh")
    #expect(code.exitCode == 1 && code.errors.contains("(Try \"ssh \" instead of \"ssh\")"), "\(code)")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
  }

  @Test(arguments: [
    "create-keychain", "unlock-keychain", "import", "set-key-partition-list", "find-identity", "list-keychains",
    "default-keychain", "delete-keychain", "set-keychain-settings", "dump-keychain", "find-certificate",
  ])
  func `What is for code signing and keychain files is refused by name`(name: String) throws {
    let outcome = try run(name, "-p", "x", "build.keychain")
    expectFailure(outcome, 252, "security: \(name): ")
    expectFailure(try run("no-such-command"), 1, "unknown command; see")
  }

  @Test func `The name of an access group stands for a keychain, and any other is none`() throws {
    let group = "com.example.photo.purchases"
    #expect(try run("add-generic-password", "-s", "shared", "-a", "jane", "-w", "v", group).exitCode == 0)
    #expect(try machine.coffer("get", "shared", "jane", "--group", group) == "v")
    #expect(try run("find-generic-password", "-s", "shared", "-w", group).text == "v")
    #expect(try run("find-generic-password", "-s", "api", "-w", group).exitCode == 44)
  }

  @Test func `Without a keychain, only the default group is searched and changed`() throws {
    let group = "com.example.photo.purchases"
    #expect(try run("add-generic-password", "-s", "twin", "-a", "jane", "-w", "older", group).exitCode == 0)
    #expect(try run("find-generic-password", "-s", "twin", "-w").exitCode == 44)
    #expect(try run("add-generic-password", "-s", "twin", "-a", "jane", "-w", "own").exitCode == 0)
    #expect(try run("find-generic-password", "-s", "twin", "-w").text == "own")
    #expect(try run("delete-generic-password", "-s", "twin").exitCode == 0)
    #expect(try run("delete-generic-password", "-s", "twin").exitCode == 44)
    #expect(try machine.coffer("get", "twin", "jane") == "older")
    // The owner has no group of his own yet.
    for command in ["find-generic-password", "delete-generic-password"] {
      let owner = try machine.run("coffer", "security", command, "-s", "api", environment: ["COFFER_APP": ""])
      #expect(owner.exitCode == 44, "\(owner)")
    }
    #expect(try machine.coffer("get", "api", "jane") == "s3cret-value")
  }

  @Test func `Account and service name a generic password, whatever else is given`() throws {
    #expect(try run("find-generic-password", "-s", "api", "-a", "jane", "-l", "other", "-w").text == "s3cret-value")
    #expect(try run("find-generic-password", "-s", "api", "-l", "other", "-w").exitCode == 44)
  }

  @Test func `add -U finds an internet password by the given attributes, and a port is read as atoi does`() throws {
    let names = ["add-internet-password", "-s", "web.example.com", "-a", "joe"]
    func add(_ options: String...) throws -> Machine.Outcome {
      try machine.start("coffer", ["security"] + names + options, wrapper: ["setsid", "--wait"]).wait()
    }
    #expect(try add("-P", "8443/tcp", "-r", "htps", "-p", "/x", "-w", "old").exitCode == 0)
    #expect(try add("-U", "-j", "a comment", "-w", "new").exitCode == 0)
    #expect(try run("find-internet-password", "-s", "web.example.com", "-P", "8443", "-w").text == "new")
    #expect(try add("-U", "-P", "80", "-w", "other").exitCode == 0)
    #expect(try run("find-internet-password", "-s", "web.example.com", "-P", "8443", "-w").text == "new")
    #expect(try run("find-internet-password", "-s", "web.example.com", "-P", "80", "-w").text == "other")
  }

  @Test func `Lines of standard input are bytes, and a command that is no text is refused`() throws {
    let script = #"printf 'find-generic-password -s \377\nfind-generic-password -s api -w\n' | security -i"#
    let outcome = try sh(script)
    #expect(outcome.exitCode == 0 && outcome.text == "s3cret-value", "\(outcome)")
    #expect(outcome.errors == "security: a command is not UTF-8\n", "\(outcome)")
    let raw = #"printf '\377\n\377\n' | security add-generic-password -s raw -a jane -w"#
    #expect(try sh(raw).exitCode == 0)
    #expect(try machine.run("coffer", "get", "raw", "jane").output == Data([0xFF]))
    let file = try machine.directory.write("long", String(repeating: "x", count: 2_000_000))
    let long = "security add-generic-password -s long -a jane -w < \(file)"
    expectFailure(try sh(long), 1, "more than 1048576 bytes")
  }

  @Test func `Ctrl-C at the prompt is exit code 1`() throws {
    let terminal = try PseudoTerminal(machine, "security", "add-generic-password", "-s", "stopped", "-a", "jane", "-w")
    try terminal.await("new item: ")
    terminal.type("\u{3}")
    #expect(terminal.wait() == 1, "\(terminal.screen)")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
  }

  @Test func `Commands on standard input need no password in an argument`() throws {
    let lines = """
      add-generic-password -U -s "two words" -a 'it is' -X 73330a63
      find-generic-password -s two\\ words -w

      find-generic-password -s absent -w
      """
    let outcome = try sh("security -i", input: lines)
    #expect(outcome.exitCode == 44 && outcome.text == "73330a63", "\(outcome)")
    #expect(try machine.run("coffer", "get", "two words", "it is").output == Data("s3\nc".utf8))
  }

  @Test func `A password in an argument is overwritten there`() throws {
    // The command waits for the retyped password of the second command, and still has the words of the first.
    let terminal = try PseudoTerminal(
      machine, "security", "add-generic-password", "-p", "s3cret-argument", "-s", "hidden", "-a", "jane", "-w")
    try terminal.await("new item: ")
    let process = try #require(try machine.processes(named: ["coffer"]).first)
    let line = String(
      decoding: try #require(FileManager.default.contents(atPath: "/proc/\(process)/cmdline")), as: UTF8.self)
    #expect(line.contains("***************\0") && !line.contains("s3cret"), "\(line)")
    terminal.type("x\n")
    try terminal.await("new item: ")
    terminal.type("x\n")
    #expect(terminal.wait() == 0)
  }

  @Test func `Without a terminal, what needs a passphrase is exit code 36`() throws {
    let locked = try Machine()
    try locked.makeVault(passphrase: "correct horse")
    try locked.coffer(
      "app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", locked.directory.path("passphrase"))
    let outcome = try locked.run(
      "coffer", "security", "find-generic-password", "-s", "x", "com.example.photo.pro", wrapper: ["setsid", "--wait"])
    #expect(outcome.exitCode == 36 && outcome.errors.contains("User interaction is not allowed."), "\(outcome)")
  }
}
