import CofferTestSupport
import Foundation
import Testing

/// Usual mistakes, each with an error that says what to do instead.
@Suite struct MistakeTests {
  @Test(arguments: ["git@github.com", "git@github.com/jane/vault.git", "jane@host"])
  func `A user and a host without a path are no folder`(url: String) throws {
    let machine = try Machine()
    try machine.makeVault()
    expectFailure(try machine.run("coffer", "remote", "set", url), 2, "without a path", "user@host:path")
    #expect(try machine.run("coffer", "remote", "show").exitCode == 3)
    // A folder can have any name.
    let folder = "\(machine.directory.path)/a@b"
    try Command.run("git", "init", "--quiet", "--bare", folder)
    #expect(try machine.coffer("remote", "set", folder).contains("a@b"))
  }

  @Test(arguments: [
    (["device", "invite", "--expires", "90"], "24h, 90d, 12w or 1y"),
    (["device", "create", "--expires", "soon"], "such as 2027-03-01"),
    (["service", "install", "--interval", "15"], "90s, 15m or 2h"),
    (
      ["show", "--class", "password", "a"],
      "one of 'generic-password', 'internet-password', 'certificate', 'key' or 'identity'; "
    ),
    (["get", "--class", "password", "a", "b"], "one of 'generic-password' and 'internet-password'; "),
  ])
  func `A value of another form than its option takes is answered with that form`(arguments: [String], form: String)
    throws
  {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "is invalid for", form, "see: coffer \(arguments[0])")
  }

  @Test(arguments: [
    (["generate"], "coffer set --generate SERVICE ACCOUNT"),
    (["mv", "a", "b"], "coffer edit SERVICE ACCOUNT --service NEW"),
    (["uninstall"], "README.md"),
    (["remote", "delete"], "coffer remote remove"),
  ])
  func `A command that other programs have is answered with the way to the same`(arguments: [String], way: String)
    throws
  {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "unknown command '", way)
  }

  @Test(arguments: [
    (["get", "--account", "joe", "mail"], "names are given as words, as in: SERVICE ACCOUNT"),
    (["get", "mail", "-u", "joe"], "names are given as words"),
    (["set", "mail", "--password", "x"], "a value is no argument"),
    (["set", "mail", "-p", "x"], "a value is no argument"),
    (["delete", "mail", "--force"], "This command asks nothing"),
    (["delete", "mail", "-y"], "this command asks nothing"),
    (["--group", "work", "get", "mail"], "options follow the command, as in: coffer get SERVICE --group"),
    (["get", "--", "mail", "--group", "work"], "after -- nothing is an option"),
    (["edit", "mail", "joe", "new"], "coffer set replaces the value"),
    (["rename", "mail", "post"], "--service NEW"),
    (["set", "--generate", "20", "mail"], "write --generate --length 20"),
  ])
  func `Options and words of other programs are answered with the form that Coffer takes`(
    arguments: [String], form: String
  ) throws {
    let machine = try Machine()
    expectFailure(try machine.start("coffer", arguments).wait(), 2, form, "see: coffer")
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
  }

  @Test(arguments: [
    (["joe", "mail.example.com"], "mail.example.com, joe"), (["mail.example.com/joe"], "mail.example.com, joe"),
    (["joe@mail.example.com"], "mail.example.com, joe"), (["https://mail.example.com/in"], "mail.example.com, joe"),
    (["https://jane@code.example.com"], "code.example.com, jane"), (["MAIL.example.com"], "mail.example.com"),
    (["mail.example.com", "Joe"], "mail.example.com, joe"), (["mail.exmaple.com"], "mail.example.com"),
  ])
  func `Names in another order, in one word or with a typing error are answered with those of the item`(
    names: [String], meant: String
  ) throws {
    let machine = try Machine()
    for (service, account) in [("mail.example.com", "joe"), ("code.example.com", "joe"), ("code.example.com", "jane")] {
      try machine.coffer("set", service, account, input: "x")
    }
    expectFailure(try machine.start("coffer", ["get"] + names).wait(), 3, "did you mean \(meant)?")
  }

  @Test func `A mistyped name is compared with those of the first 256 passwords, however many there are`() throws {
    let machine = try Machine()
    let lines = (100..<400).map { #"{"service": "service-\#($0).example.com", "account": "joe", "value": "x"}"# + "\n" }
    let stored = try machine.start("coffer", ["set", "--json-lines"], input: Data(lines.joined().utf8)).wait()
    #expect(stored.exitCode == 0, "\(stored)")
    for names in [["srevice-101.example.com"], ["srevice-101.example.com", "joe"]] {
      expectFailure(try machine.start("coffer", ["get"] + names).wait(), 3, "did you mean service-101.example.com")
    }
    for names in [["srevice-399.example.com"], ["srevice-399.example.com", "joe"]] {
      let outcome = try machine.start("coffer", ["get"] + names).wait()
      #expect(outcome.exitCode == 3 && !outcome.errors.contains("service-399"), "\(outcome)")
    }
  }

  @Test func `A group with other capitals, without its beginning, and an empty name are answered with the group`()
    throws
  {
    let machine = try Machine()
    try machine.coffer("set", "mail", input: "x")
    let own = try machine.team() + ".coffer.personal"
    for name in ["Coffer.Personal", "personal", "COFFER.personal"] {
      for command in [["get", "mail"], ["list"], ["set", "b", "--generate"]] {
        let outcome = try machine.start("coffer", command + ["--group", name]).wait()
        expectFailure(outcome, 4, "did you mean \(own)?")
      }
    }
    expectFailure(try machine.run("coffer", "get", "mail", "--group", ""), 4, "is empty; name one of these: \(own)")
    let other = try machine.run("coffer", "get", "mail", "--group", "nothing")
    #expect(other.exitCode == 4 && !other.errors.contains("did you mean"), "\(other)")
  }

  @Test func `An empty seed is named as such`() throws {
    let machine = try Machine()
    try machine.coffer("set", "mail", input: "x")
    expectFailure(try machine.run("coffer", "otp", "add", "mail"), 2, "the seed is empty")
  }

  @Test func `The command for a random value that the error names stores one of 20 characters`() throws {
    let machine = try Machine.withExamples()
    let advice = try machine.run("coffer", "generate").errors
    let command = try #require(advice.firstMatch(of: /coffer set .*/)).0.replacing("SERVICE ACCOUNT", with: "s a")
    let app = "com.example.photo.pro"
    let run = try machine.start(
      "/bin/sh", ["-c", "\(command) --app \(app)"], environment: ["PATH": "\(Machine.programs.path):/usr/bin:/bin"]
    ).wait()
    #expect(run.exitCode == 0, "\(run)")
    #expect(try machine.run("coffer", "get", "s", "a", "--app", app).output.count == 20)
  }

  @Test func `A vault without the file of its machine's keys says how to go on`() throws {
    let machine = try Machine.withExamples()
    try FileManager.default.removeItem(at: machine.vault.appending(path: "device"))
    let outcome = try machine.run("coffer", "status")
    #expect(outcome.exitCode == 1, "\(outcome)")
    for part in ["No such file", "move the folder \(machine.vault.path)", "as a new machine: coffer clone URL"] {
      #expect(outcome.errors.contains(part), "\(outcome)")
    }
  }
}
