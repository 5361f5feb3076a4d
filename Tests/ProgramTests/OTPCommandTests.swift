import CofferTestSupport
import Foundation
import Testing

/// `coffer otp`: codes, and where their seeds come from.
@Suite struct OTPCommandTests {
  private static let seed = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
  private static let uri =
    "otpauth://totp/ACME:jane?secret=\(seed)&issuer=ACME&algorithm=SHA256&digits=8&period=60"
  private let machine: Machine

  private struct Code: Decodable {
    let code: String
    let secondsLeft: Int
    let validFrom: Date
    let validUntil: Date
    let period: Int
    let digitCount: Int
    let algorithm: String
    let account: String
    let hasOneTimeCodes: Bool?
  }

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "acme", "jane", "--label", "Work", input: "s3cret-value")
  }

  private func oathtool(_ code: Code) throws -> String {
    try Command.run(
      "oathtool", "--totp=\(code.algorithm.lowercased())", "--digits=\(code.digitCount)",
      "--time-step-size=\(code.period)s", "--now=@\(Int(code.validFrom.timeIntervalSince1970))", "--base32", Self.seed)
  }

  @Test func `A seed or an address from standard input gives the codes of oathtool`() throws {
    #expect(try machine.coffer("otp", "add", "acme", "jane", input: Self.uri + "\n").contains("Added one-time codes"))
    var code = try machine.json(Code.self, "otp", "acme", "jane")
    #expect(code.algorithm == "SHA256" && code.digitCount == 8 && code.period == 60 && code.hasOneTimeCodes == true)
    #expect(try code.code == oathtool(code))
    #expect(code.validUntil.timeIntervalSince(code.validFrom) == 60 && (0...60).contains(code.secondsLeft))
    let raw = ["--digits", "7", "--period", "45", "--algorithm", "sha-512"]
    try machine.succeed("coffer", ["otp", "add", "new", "joe", "--new"] + raw, input: Self.seed.lowercased())
    code = try machine.json(Code.self, "otp", "new", "joe")
    #expect(code.algorithm == "SHA512" && code.digitCount == 7 && code.period == 45 && code.account == "joe")
    #expect(try code.code == oathtool(code))
    // The password of an item that only has codes is empty.
    #expect(try machine.coffer("get", "new", "joe").isEmpty)
    #expect(try machine.coffer("get", "acme", "jane") == "s3cret-value")
  }

  @Test func `The code is read by names, by an only account, by references, and as the attribute otp`() throws {
    // Codes that stay the same for the time of the test.
    try machine.coffer("otp", "add", "acme", "jane", "--period", "1000000", input: Self.seed)
    let code = try machine.coffer("otp", "acme", "jane")
    #expect(code.wholeMatch(of: /[0-9]{6}/) != nil)
    let item = try machine.json([ItemRow].self, "list")[0].reference
    for arguments in [
      ["otp", "acme"], ["otp", "code", "acme"], ["otp", "coffer:///acme/jane"], ["otp", "--reference", item],
      ["read", "coffer:///acme/jane#otp"], ["get", "acme", "jane", "--field", "otp"],
      ["run", "--env", "CODE=coffer:///acme/jane#otp", "--", "sh", "-c", "echo $CODE"],
    ] { #expect(try machine.succeed("coffer", arguments) == code, "\(arguments)") }
    #expect(try machine.run("coffer", "otp", "acme").output == Data("\(code)\n".utf8))
  }

  @Test func `A value that is the address of a seed gives codes too, as in a store of pass`() throws {
    try machine.coffer("set", "pass/acme", input: Self.uri + "\n")
    let code = try machine.json(Code.self, "otp", "pass/acme")
    #expect(try code.code == oathtool(code))
    #expect(try machine.coffer("otp", "uri", "pass/acme") == Self.uri)
    #expect(try machine.coffer("read", "coffer:///pass%2Facme/#otp").count == 8)
    expectFailure(try machine.run("coffer", "otp", "acme", "jane"), 3, "has no one-time codes")
  }

  @Test func `The seed of the only account is removed without its name`() throws {
    try machine.coffer("otp", "add", "acme", "jane", input: Self.seed)
    #expect(try machine.coffer("otp", "remove", "acme").contains("Removed the one-time codes of acme, jane"))
    try machine.coffer("set", "acme", "joe", input: "x")
    expectFailure(try machine.run("coffer", "otp", "remove", "acme"), 2, "name one: jane, joe")
  }

  @Test func `The seed is typed at a prompt that shows nothing`() throws {
    let terminal = try PseudoTerminal(machine, "otp", "add", "acme", "jane")
    try terminal.await("Seed of acme, jane: ")
    #expect(!terminal.echoes)
    terminal.type(Self.seed + "\n")
    #expect(terminal.wait() == 0 && !terminal.screen.contains(Self.seed), "\(terminal.screen)")
    #expect(try machine.coffer("otp", "uri", "acme").contains(Self.seed))
  }

  @Test func `A QR code on a terminal is read again from its picture, byte for byte`() throws {
    try machine.coffer("otp", "add", "acme", "jane", input: Self.uri)
    let terminal = try PseudoTerminal(
      machine, program: Machine.path(of: "coffer"), ["otp", "uri", "acme", "--qr"], columns: 120,
      environment: ["TERM": "xterm-256color"])
    #expect(terminal.wait() == 0 && !terminal.screen.contains(Self.seed), "\(terminal.screen)")
    let picture = machine.directory.url.appending(path: "screen shot.pgm")
    let size = TerminalPicture.CharacterSize(width: 8, height: 16)
    try TerminalPicture(terminal.screen, on: .dark).portableGrayMap(characters: size).write(to: picture)
    try machine.coffer("otp", "add", "copy", "jane", "--new", "--qr", picture.path)
    #expect(try machine.coffer("otp", "uri", "copy") == Self.uri)
    #expect(try machine.coffer("otp", "uri", "acme") == Self.uri)
    let plain = try machine.run("coffer", "otp", "uri", "acme", "--qr")
    expectFailure(plain, 1, "no terminal that can show a QR code")
  }

  @Test func `A picture without a code, and a machine without the program that reads it, are errors with advice`()
    throws
  {
    let white = machine.directory.url.appending(path: "white.pgm")
    try (Data("P5 64 64 255\n".utf8) + Data(repeating: 0xFF, count: 64 * 64)).write(to: white)
    expectFailure(try machine.run("coffer", "otp", "add", "acme", "jane", "--qr", white.path), 2, "has no QR code")
    let text = try machine.directory.write("text", "no picture")
    let pipe = machine.directory.path("pipe")
    try Command.run("mkfifo", pipe)
    for path in [text, pipe, machine.directory.path] {
      expectFailure(try machine.run("coffer", "otp", "add", "acme", "jane", "--qr", path), 2, "is no picture")
    }
    expectFailure(try machine.run("coffer", "otp", "add", "acme", "jane", "--qr", "/absent"), 2, "cannot read")
    let absent = try machine.run(
      "coffer", "otp", "add", "acme", "jane", "--qr", white.path, environment: ["PATH": machine.directory.path])
    expectFailure(absent, 1, "zbarimg", "zbar-tools")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
  }

  @Test func `No list, description or history of the item shows the seed`() throws {
    try machine.coffer("otp", "add", "acme", "jane", input: Self.uri)
    for arguments in [
      ["list"], ["list", "--json"], ["list", "--tree"], ["list", "--tree", "--json"], ["show", "acme", "jane"],
      ["show", "acme", "jane", "--json"], ["history", "acme", "jane"], ["history", "acme", "jane", "--json"],
      ["search", "acme", "--json"], ["get", "acme", "jane", "--json"], ["otp", "acme", "--json"],
      ["get", "acme", "jane", "--field", "one-time-codes"], ["get", "acme", "jane", "--field", "totp"],
    ] {
      let outcome = try machine.start("coffer", arguments).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(!outcome.text.uppercased().contains(Self.seed) && !outcome.text.contains("otpauth"), "\(outcome)")
    }
    #expect(try machine.coffer("show", "acme", "jane").contains("8 digits, every 60 seconds"))
    #expect(try machine.coffer("history", "acme", "jane").contains("one-time codes"))
    #expect(try machine.run("coffer", "search", Self.seed).text.isEmpty)
  }

  @Test func `The seed stays with the password when that is replaced, renamed, copied and moved`() throws {
    try machine.coffer("otp", "add", "acme", "jane", input: Self.uri)
    try machine.coffer("set", "acme", "jane", input: "another")
    try machine.coffer("edit", "acme", "jane", "--service", "acme.com")
    try machine.coffer("move", "acme.com", "jane", "--to", "com.example.photo.purchases")
    try machine.coffer("copy", "acme.com", "jane", "--account", "joe")
    for account in ["jane", "joe"] { #expect(try machine.coffer("otp", "uri", "acme.com", account) == Self.uri) }
  }

  @Test func `A seed is only replaced with --replace, and a removed one leaves the password`() throws {
    try machine.coffer("otp", "add", "acme", "jane", input: Self.uri)
    let second = try machine.start("coffer", ["otp", "add", "acme", "jane"], input: Data("MZXW6YTBMZXW6YTB".utf8))
      .wait()
    expectFailure(second, 1, "has one-time codes", "--replace")
    #expect(try machine.coffer("otp", "uri", "acme") == Self.uri)
    try machine.coffer("otp", "add", "acme", "jane", "--replace", input: "MZXW6YTBMZXW6YTB")
    #expect(try machine.coffer("otp", "uri", "acme").contains("secret=MZXW6YTBMZXW6YTB&"))
    try machine.coffer("otp", "remove", "acme", "jane")
    expectFailure(try machine.run("coffer", "otp", "acme", "jane"), 3, "has no one-time codes", "otp add acme jane")
    #expect(try machine.coffer("get", "acme", "jane") == "s3cret-value")
  }

  @Test func `What is no seed changes nothing, and is not repeated`() throws {
    for (arguments, text) in [
      ([], "hunter2!"), ([], ""), ([], "otpauth://hotp/x?secret=MY"), (["--digits", "6"], Self.uri),
      (["--digits", "9"], Self.seed), (["--period", "0"], Self.seed),
    ] {
      let words = ["otp", "add", "new", "a", "--new"] + arguments
      let outcome = try machine.start("coffer", words, input: Data(text.utf8)).wait()
      #expect(outcome.exitCode == 2 && outcome.output.isEmpty, "\(outcome)")
      #expect(text.isEmpty || !outcome.errors.contains(text), "\(outcome)")
    }
    expectFailure(
      try machine.run("coffer", "otp", "add", "new", "a", "--algorithm", "MD5"), 2, "SHA1, SHA256 and SHA512")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
  }

  @Test func `A seed is added to the password that get finds, and a new password needs --new`() throws {
    let shared = "com.example.photo.purchases"
    try machine.coffer("set", "shop", "jane", "--group", shared, input: "shared-value")
    #expect(try machine.coffer("otp", "add", "shop", "jane", input: Self.uri).hasSuffix(shared))
    #expect(try machine.coffer("otp", "uri", "shop", "jane") == Self.uri)
    #expect(try machine.coffer("get", "shop", "jane") == "shared-value")
    // The only password of the service, if no account is named.
    #expect(try machine.coffer("otp", "add", "acme", input: Self.uri).contains("acme, jane"))
    let absent = try machine.start("coffer", ["otp", "add", "absent"], input: Data(Self.uri.utf8)).wait()
    expectFailure(absent, 3, "nothing was changed", "add --new")
    for names in [["shop", "jane"], ["acme", "jane"]] {
      let second = try machine.start("coffer", ["otp", "add", "--new"] + names, input: Data(Self.uri.utf8)).wait()
      expectFailure(second, 1, "has a password with these names", "coffer otp add \(names[0]) jane")
    }
    #expect(try machine.json([ItemRow].self, "list").count == 2)
  }

  @Test func `Names and numbers that cannot be are refused before the prompt`() throws {
    let long = String(repeating: "x", count: 1_025)
    for (arguments, words) in [
      ([""], "service and account are empty"), ([long, "--new"], "1025 bytes"), (["new", long, "--new"], "1025 bytes"),
      (["acme", "--digits", "9"], "6, 7 or 8"), (["acme", "--period", "0"], "1 to 1000000"),
      (["acme", "--new", "--replace"], "--new excludes"),
    ] {
      let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["otp", "add"] + arguments)
      #expect(terminal.wait() == 2 && !terminal.screen.contains("Seed of"), "\(terminal.screen)")
      #expect(terminal.screen.contains(words), "\(terminal.screen)")
    }
    try machine.coffer("otp", "add", "acme", "jane", input: Self.uri)
    let terminal = try PseudoTerminal(machine, "otp", "add", "acme", "jane")
    #expect(terminal.wait() == 1 && !terminal.screen.contains("Seed of"), "\(terminal.screen)")
  }

  @Test func `The code is copied to the clipboard without a newline`() throws {
    try machine.coffer("otp", "add", "acme", "jane", "--period", "1000000", input: Self.seed)
    let folder = machine.directory.path("bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let clipboard = machine.directory.path("clipboard")
    try machine.directory.writeScript("bin/wl-copy", "cat > \(clipboard)")
    try machine.directory.writeScript("bin/wl-paste", "cat \(clipboard)")
    let path = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let outcome = try machine.run(
      "coffer", "otp", "acme", "--clip", "--clear-after", "1s", environment: ["PATH": path, "WAYLAND_DISPLAY": "w"])
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(try String(contentsOfFile: clipboard, encoding: .utf8) == machine.coffer("otp", "acme"))
    try waitUntil("the clipboard is cleared") {
      FileManager.default.contents(atPath: clipboard)?.isEmpty == true
    }
  }
}
