import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A new machine is enrolled by invitation, with the programs and a real repository.
@Suite struct InvitationTests {
  @Test func `A code that is typed without INVITE1 is accepted, and one with a typing error is not`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let groups = invitation.code.split(separator: "-").dropFirst()
    // One character of the first group.
    let wrong = ([groups.first == "0000" ? "1111" : "0000"] + groups.dropFirst()).joined(separator: "-")
    let refused = try scene.clone(wrong).wait()
    #expect(refused.exitCode == 5 && refused.errors.contains("INVITE1-XXXX-"), "\(refused)")
    let short = try scene.clone(groups.dropLast().joined(separator: "-")).wait()
    #expect(short.exitCode == 5 && short.errors.contains("INVITE1-XXXX-"), "\(short)")
    let program = try scene.clone(groups.joined(separator: " ").lowercased())
    try scene.waitForRequests()
    #expect(try scene.approve().exitCode == 0)
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `An invited machine becomes a member with the apps of the invitation, and both screens show its words`()
    throws
  {
    let scene = try InvitationScene()
    try scene.laptop.set("from the laptop", "1")
    let invitation = try scene.invite("--apps", app)
    #expect(invitation.command == "coffer clone --invite \(scene.remote.path)")
    #expect(try scene.states() == [invitation.invitation: "waiting"])
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests()
    let words = try scene.words(of: program)
    // A sync says that a request waits, and so does the list.
    let sync = try scene.laptop.coffer("sync")
    #expect(sync.contains("The machine tablet asks to be enrolled with the invitation \(invitation.invitation)."))
    #expect(sync.contains("coffer device approve \(invitation.invitation)"))
    #expect(try InvitationScene.words(in: sync) == words)
    let list = try scene.laptop.coffer("device", "list")
    #expect(list.contains("tablet asks"))
    let status = try scene.laptop.coffer("status")
    #expect(
      status.contains("asks to be enrolled by invitation")
        && status.contains("coffer device approve \(invitation.invitation)"), "\(status)")
    #expect(try InvitationScene.words(in: list) == words)
    #expect(!list.contains(invitation.code))
    let approved = try scene.approve()
    #expect(approved.exitCode == 0 && approved.text.contains("tablet is a member with 1 app"), "\(approved)")
    #expect(try InvitationScene.words(in: approved.errors) == words)
    let cloned = try program.wait()
    #expect(cloned.exitCode == 0 && cloned.text.contains("This machine is a member, with 1 app ready."), "\(cloned)")
    #expect(try scene.new.roles() == ["laptop": "admin", "desktop": "admin", "tablet": "member"])
    #expect(try scene.new.get("from the laptop") == "1")
    try scene.new.set("from the tablet", "2")
    try scene.new.sync()
    try scene.laptop.sync()
    #expect(try scene.laptop.get("from the tablet") == "2")
    let other = try scene.new.run("coffer", "list", "--app", InvitationScene.free)
    #expect(other.exitCode == 4, "\(other)")
    for machine in [scene.laptop, scene.new] {
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
      #expect(try machine.coffer("log").contains("enrolled the machine tablet as a member, by invitation"))
      #expect(try machine.status("headPhrase") == scene.laptop.status("headPhrase"))
    }
    #expect(try !scene.laptop.coffer("status").contains("asks to be enrolled"))
    // Nothing stays of the exchange but the entry of the log.
    #expect(try scene.branches().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scene.waitingFolder.path))
    #expect(try scene.states() == [invitation.invitation: "used"])
    #expect(try !scene.laptop.coffer("device", "list").contains(invitation.invitation))
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: scene.new.vault.path))
    #expect(names.isSuperset(of: ["device", "delivery"]) && names.isDisjoint(with: ["admin", "request", "incoming"]))
    for file in ["device", "delivery"] {
      #expect(try mode(of: scene.new.vault.appending(path: file)) == 0o600)
    }
    #expect(try mode(of: scene.laptop.vault.appending(path: "invitations")) == 0o600)
  }

  /// The environment in which a program kills itself at a step.
  private func fault(_ step: String, on machine: Machine) -> [String: String] {
    ["COFFER_FAULT_POINT": "\(step):1", "COFFER_FAULT_LOG": machine.directory.path("steps")]
  }

  private func mode(of file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  @Test func `An invited admin needs the vault key for its approval, and changes the membership afterwards`() throws {
    let scene = try InvitationScene()
    let text = try scene.laptop.start("coffer", ["device", "invite", "--admin", "--name", "desk 2"]).wait()
    #expect(text.exitCode == 0 && text.errors.contains("only that makes an admin"), "\(text)")
    let code = try #require(text.text.firstMatch(of: /INVITE1(-[0-9A-Z]{4}){12}/)).output.0
    let program = try scene.clone(String(code))
    try scene.waitForRequests()
    let length = try scene.laptop.status("logLength")
    let without = try scene.approve()
    #expect(
      without.exitCode == 5 && without.errors.contains("give --vault-key-file")
        && without.errors.contains("becomes an admin"), "\(without)")
    #expect(try scene.laptop.status("logLength") == length)
    let wrong = try scene.approve(
      "--vault-key-file", scene.laptop.directory.write("wrong", "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZ"))
    #expect(wrong.exitCode == 5, "\(wrong)")
    #expect(try scene.laptop.status("logLength") == length)
    let approved = try scene.approve("--vault-key-file", scene.two.key, "--json")
    #expect(approved.exitCode == 0, "\(approved)")
    let cloned = try program.wait()
    #expect(
      cloned.exitCode == 0 && cloned.text.contains("This machine is an admin, with 2 apps ready.")
        && cloned.text.contains("this machine is named desk 2"), "\(cloned)")
    #expect(try scene.new.addApp("later").exitCode == 0)
    try scene.new.coffer("app", "remove", InvitationScene.free, "--device", "desktop", "--yes")
    try scene.laptop.sync()
    #expect(try scene.laptop.roles()["desk 2"] == "admin")
  }

  @Test func `A passphrase protects the approval on one machine, and what is delivered on the other`() throws {
    let (remote, laptop, tablet) = (try TemporaryRemote(), try Machine(), try Machine())
    let owner = try laptop.makeVault(name: "laptop", passphrase: "laptop's")
    let plist = try laptop.directory.write(
      "locked.entitlements", entitlementsPlist("com.example.locked", groups: ["~com.example.locked"]))
    try laptop.coffer("app", "add", "--locked", plist, "--passphrase-file", owner)
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    // Neither the invitation nor the list needs the passphrase.
    let text = try laptop.coffer("device", "invite", "--json", "--apps", "com.example.locked")
    let invitation = try JSONDecoder().decode(InvitationScene.Invitation.self, from: Data(text.utf8))
    let passphrase = try tablet.directory.write("passphrase", "tablet's")
    let code = try tablet.directory.write("code", invitation.code)
    let program = try tablet.start(
      "coffer",
      [
        "clone", "--invite", "--name", "tablet", "--invite-code-file", code, "--passphrase-file", passphrase,
        remote.path,
      ])
    try waitUntil("the request is posted") { try remote.git("for-each-ref", "refs/heads/invite-*") != "" }
    try laptop.sync()
    #expect(try laptop.coffer("device", "list").contains("tablet asks"))
    let wrong = try laptop.directory.write("wrong", "wrong")
    for options in [[], ["--passphrase-file", wrong]] {
      let refused = try laptop.start("coffer", ["device", "approve", "--yes"] + options).wait()
      #expect(refused.exitCode == 5, "\(refused)")
    }
    try laptop.coffer("device", "approve", "--yes", "--passphrase-file", owner)
    let cloned = try program.wait()
    #expect(cloned.exitCode == 0 && cloned.text.contains("with 1 app ready"), "\(cloned)")
    let item = ["service", "x", "--app", "com.example.locked", "--passphrase-file"]
    try tablet.succeed("coffer", ["set"] + item + [passphrase], input: "value")
    #expect(try tablet.succeed("coffer", ["get"] + item + [passphrase]) == "value")
    #expect(try tablet.start("coffer", ["get"] + item + [wrong]).wait().exitCode == 5)
    let sealed = try tablet.local.folder.deliveryFile.read { try DeliveryFile(secretBytes: $0).needsPassphrase }
    #expect(sealed)
  }

  @Test func `A clone that is killed while it waits goes on with the same request, also without the code and the URL`()
    throws
  {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let first = try scene.clone(invitation.code)
    try scene.waitForRequests()
    let words = try scene.words(of: first)
    first.kill()
    _ = try first.wait()
    #expect(!scene.isEnrolled)
    #expect(try mode(of: scene.waitingFolder.appending(path: "request")) == 0o600)
    let second = try scene.new.start("coffer", ["clone", "--invite", "--wait", "0s"]).wait()
    #expect(
      second.exitCode == 7 && second.errors.contains("no answer to the request has come")
        && second.errors.contains("coffer device approve"), "\(second)")
    #expect(try InvitationScene.words(in: second.text) == words)
    // Another program must not use the folder meanwhile.
    let third = try scene.clone(invitation.code)
    try waitUntil("the words are shown") {
      String(decoding: try third.outputSoFar(), as: UTF8.self).contains("Waiting")
    }
    #expect(try scene.words(of: third) == words)
    let busy = try scene.clone(invitation.code).wait()
    #expect(busy.exitCode == 1 && busy.errors.contains("another program on this machine waits"), "\(busy)")
    #expect(try scene.branches().count == 1)
    #expect(try scene.approve().exitCode == 0)
    #expect(try third.wait().exitCode == 0)
    #expect(try scene.new.roles()["tablet"] == "member")
    #expect(try scene.laptop.coffer("device", "list", "--json").components(separatedBy: "\"name\"").count == 4)
  }

  @Test(
    arguments: TestRun.rows(
      ["vaultDownloaded", "downloadImported", "stagingComplete", "vaultMoved", "secretFileWritten"], ordinarily: 2))
  func `A clone that is killed after the approval finishes at the next run`(step: String) throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    _ = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(try scene.approve().exitCode == 0)
    let killed = try scene.clone(invitation.code, environment: fault(step, on: scene.new)).wait()
    if step == "vaultDownloaded" {
      // The program that was killed is coffer-sync.
      #expect(killed.exitCode == 1 && killed.errors.contains("ended by signal 9"), "\(killed)")
    } else {
      #expect(killed.signal == 9, "\(killed)")
    }
    let again = try scene.clone(invitation.code).wait()
    if step == "vaultMoved" {
      #expect(again.exitCode == 1 && again.errors.contains("there is a vault at"), "\(again)")
    } else {
      #expect(again.exitCode == 0 && again.text.contains("with 1 app ready"), "\(again)")
    }
    try scene.new.set("x", "1")
    try scene.new.sync()
    #expect(try scene.new.coffer("check") == "The store matches its signed objects.")
    try scene.laptop.sync()
    #expect(try scene.laptop.get("x") == "1")
  }

  @Test func `An expired, a cancelled and a used code are refused, and the new machine is told why`() throws {
    let scene = try InvitationScene()
    let expired = try scene.invite()
    let late = try scene.clone(expired.code)
    try scene.waitForRequests()
    try scene.change { old in
      CofferFormat.Invitation(
        key: old.key, created: old.created, expires: Timestamp(microseconds: old.created.microseconds + 1),
        isForAdmin: false, applications: [], name: nil)
    }
    let approval = try scene.approve(expired.invitation)
    #expect(
      approval.exitCode == 2 && approval.errors.contains("the invitation \(expired.invitation) expired on"),
      "\(approval)")
    let told = try late.wait()
    #expect(told.exitCode == 4 && told.errors.contains("the invitation had expired; ask for another code"), "\(told)")
    // The machine forgets the request, and its branch.
    #expect(!FileManager.default.fileExists(atPath: scene.waitingFolder.path))
    #expect(try scene.branches().isEmpty)

    let cancelled = try scene.invite()
    let waiting = try scene.clone(cancelled.code)
    try scene.waitForRequests()
    #expect(try scene.laptop.coffer("device", "invite", "--cancel").contains("is cancelled"))
    let outcome = try waiting.wait()
    #expect(outcome.exitCode == 4 && outcome.errors.contains("the invitation was cancelled"), "\(outcome)")
    #expect(try scene.approve(cancelled.invitation).errors.contains("was cancelled"))
    try scene.expectNobodyElse()

    let used = try scene.invite("--apps", app)
    #expect(try scene.enrol(used).exitCode == 0)
    let other = try Machine()
    let second = try scene.clone(used.code, on: other, named: "other")
    try scene.waitForRequests()
    let refused = try scene.approve(used.invitation)
    #expect(
      refused.exitCode == 2 && refused.errors.contains("was used already: it has enrolled tablet"), "\(refused)")
    let late2 = try second.wait()
    #expect(late2.exitCode == 4 && late2.errors.contains("the code was used already, by another machine"), "\(late2)")
    #expect(try scene.laptop.roles() == ["laptop": "admin", "desktop": "admin", "tablet": "member"])
    #expect(
      try scene.states() == [
        expired.invitation: "expired", cancelled.invitation: "cancelled", used.invitation: "used",
      ])
  }

  @Test func `Two machines that ask with one code are both refused, and so is whoever asks afterwards`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let other = try Machine()
    let programs = [try scene.clone(invitation.code), try scene.clone(invitation.code, on: other, named: "thief")]
    try scene.waitForRequests(2)
    let sync = try scene.laptop.coffer("sync")
    #expect(sync.contains("Two machines have asked with the code of the invitation \(invitation.invitation)"))
    for program in programs {
      let outcome = try program.wait()
      #expect(
        outcome.exitCode == 4
          && outcome.errors.contains("two machines have asked with this code, and both were refused"),
        "\(outcome)")
    }
    let approval = try scene.approve(invitation.invitation)
    #expect(approval.exitCode == 6 && approval.errors.contains("both are refused"), "\(approval)")
    let third = try scene.clone(invitation.code)
    try scene.waitForRequests()
    try scene.laptop.sync()
    #expect(try third.wait().exitCode == 4)
    #expect(try scene.states() == [invitation.invitation: "severalRequests"])
    try scene.expectNobodyElse()
  }

  @Test func `A mistyped code, a vault key and a code of another vault enrol nobody`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let last = try #require(invitation.code.last)
    let cases = [
      (String(invitation.code.dropLast()) + (last == "0" ? "1" : "0"), "the invitation's code is mistyped"),
      (
        try String(contentsOfFile: scene.two.key, encoding: .utf8),
        "this is a vault key and not the code of an invitation"
      ),
      ("INVITE1-0000", "this is not the code of an invitation"),
    ]
    for (code, words) in cases {
      let outcome = try scene.clone(code).wait()
      #expect(outcome.exitCode == 5 && outcome.errors.contains(words), "\(outcome)")
      #expect(!outcome.errors.contains(code.prefix(20)))
      #expect(!FileManager.default.fileExists(atPath: scene.waitingFolder.path))
    }
    let key = try scene.new.directory.write("vault-key", invitation.code)
    let asKey = try scene.new.run(
      "coffer", "clone", "--no-passphrase", "--vault-key-file", key, scene.remote.path)
    #expect(
      asKey.exitCode == 5 && asKey.errors.contains("this is the code of an invitation and not a vault key"), "\(asKey)")
    #expect(try scene.branches().isEmpty)
    let genesis = try scene.laptop.local.membership().genesis.hash
    func random(for genesis: EntryHash) -> String {
      unsafe InvitationCode.random(for: genesis).text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    let foreign = try scene.clone(random(for: EntryHash(.zero)), timeout: "0s").wait()
    #expect(
      foreign.exitCode == 6 && foreign.errors.contains("another vault than the one for which the code was made"),
      "\(foreign)")
    #expect(try scene.branches().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scene.waitingFolder.path))
    let unknown = try scene.clone(random(for: genesis), timeout: "0s").wait()
    #expect(
      unknown.exitCode == 7 && unknown.errors.contains("compare this URL with `coffer remote show`"), "\(unknown)")
    #expect(try scene.laptop.coffer("sync").contains("asks") == false)
    #expect(try scene.approve().exitCode == 3)
    // The right code replaces the request with the wrong one.
    let right = try scene.clone(invitation.code)
    try scene.waitForRequests(2)
    let approved = try scene.approve(invitation.invitation)
    #expect(approved.exitCode == 0, "\(approved)")
    let done = try right.wait()
    #expect(done.exitCode == 0 && done.errors.contains("with another code is given up"), "\(done)")
  }

  @Test func `A machine that may not push is told which right it needs, and goes on when it has it`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    try scene.remote.setPushHook("read old new ref; case $ref in refs/heads/invite-*) echo no; exit 1;; esac")
    let refused = try scene.clone(invitation.code).wait()
    #expect(
      refused.exitCode == 7 && refused.errors.contains("refuses the request of this machine")
        && refused.errors.contains("push branches whose names begin with invite-"), "\(refused)")
    try scene.remote.setPushHook(nil)
    let words = try InvitationScene.words(in: refused.text)
    let again = try scene.clone(invitation.code)
    try scene.waitForRequests()
    #expect(try scene.words(of: again) == words)
    #expect(try scene.approve().exitCode == 0)
    #expect(try again.wait().exitCode == 0)
  }

  @Test func `Only an admin of a vault with a remote invites, within the limits`() throws {
    let alone = try Machine()
    try alone.makeVault()
    let without = try alone.run("coffer", "device", "invite")
    #expect(without.exitCode == 2 && without.errors.contains("coffer remote set URL"), "\(without)")
    let scene = try InvitationScene()
    let cases: [([String], Int32)] = [
      (["--expires", "31d"], 2), (["--name", "two\nlines"], 2), (["--apps", "com.example.none"], 4),
      (["--admin", "--apps", app], 2), (["--cancel"], 3), (["--cancel", "0123abcd"], 3), (["0123abcd"], 2),
    ]
    for (options, code) in cases {
      let outcome = try scene.laptop.start("coffer", ["device", "invite"] + options).wait()
      #expect(outcome.exitCode == code, "\(options): \(outcome)")
      #expect(!outcome.text.contains("INVITE1"))
    }
    #expect(try scene.states().isEmpty)
    try scene.enrol(scene.invite())
    let member = try scene.new.run("coffer", "device", "invite")
    #expect(member.exitCode == 4 && member.errors.contains("only an admin may do this"), "\(member)")
    let approve = try scene.new.run("coffer", "device", "approve")
    #expect(approve.exitCode == 4, "\(approve)")
    // Invitations that have expired leave their places to new ones.
    try scene.laptop.local.invitationBook().update { (invitations) throws(VaultError) in
      let created = invitations[0].created
      invitations = (0..<64).map { _ in
        CofferFormat.Invitation(
          key: InvitationCode.random(for: EntryHash(.zero)).key, created: created,
          expires: Timestamp(microseconds: created.microseconds + 1), isForAdmin: false, applications: [], name: nil)
      }
    }
    _ = try scene.invite()
    #expect(try scene.states().count == 64)
  }

  @Test func `The owner who sees other words says no, and nothing has changed`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests()
    let nobody = try scene.laptop.run("coffer", "device", "approve")
    #expect(nobody.exitCode == 2 && nobody.errors.contains("add --yes"), "\(nobody)")
    let terminal = try PseudoTerminal(scene.laptop, "device", "approve")
    try terminal.await("Does the new machine show exactly these words?")
    terminal.type("n\n")
    #expect(terminal.wait() == 5)
    try scene.expectNobodyElse()
    let second = try PseudoTerminal(scene.laptop, "device", "approve", invitation.invitation)
    try second.await("The words of its request: \(try scene.words(of: program))")
    try second.await("[y/N]")
    second.type("y\n")
    #expect(second.wait() == 0)
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `The code is typed on the terminal, unseen, and Return goes on with the request`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let first = try PseudoTerminal(
      scene.new, "clone", "--invite", "--no-passphrase", "--name", "tablet", "--wait", "0s", scene.remote.path)
    try first.await("Invitation code: ")
    first.type("\(invitation.code.lowercased())\n")
    #expect(first.wait() == 7)
    #expect(!first.screen.lowercased().contains(invitation.code.lowercased()))
    #expect(try scene.approve().exitCode == 0)
    let second = try PseudoTerminal(scene.new, "clone", "--invite")
    try second.await("go on with the request of tablet): ")
    second.type("\n")
    #expect(second.wait() == 0)
    #expect(try scene.new.roles()["tablet"] == "member")
  }

  @Test func `On a terminal, the code is also drawn for a camera, below its text`() throws {
    let scene = try InvitationScene()
    let terminal = try PseudoTerminal(
      scene.laptop, program: Machine.path(of: "coffer"), ["device", "invite"], columns: 100,
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])
    #expect(terminal.wait() == 0)
    let screen = terminal.screen
    let drawing = try #require(screen.range(of: "\u{1B}["))
    let scanned = try TerminalPicture(String(screen[drawing.lowerBound...]), on: .dark).scannedText()
    #expect(!scanned.isEmpty && screen[..<drawing.lowerBound].contains(scanned))
    #expect(screen[drawing.lowerBound...].contains("coffer clone --invite"))
  }

  @Test func `Every key of the JSON of invitations is on the page of JSON keys`() throws {
    let scene = try InvitationScene()
    func json(_ machine: Machine, _ arguments: String...) throws -> Any {
      try JSONSerialization.jsonObject(with: Data(machine.succeed("coffer", arguments + ["--json"]).utf8))
    }
    func keys(of value: Any) -> Set<String> {
      switch value {
      case let object as [String: Any]: object.reduce(into: Set(object.keys)) { $0.formUnion(keys(of: $1.value)) }
      case let array as [Any]: array.reduce(into: []) { $0.formUnion(keys(of: $1)) }
      default: []
      }
    }
    let invited = try #require(
      json(scene.laptop, "device", "invite", "--apps", app, "--name", "tablet") as? [String: Any])
    let code = try #require(invited["code"] as? String)
    let program = try scene.clone(code, options: ["--no-passphrase", "--json"])
    try scene.waitForRequests()
    var printed: [String: Any] = ["device invite": invited]
    printed["sync"] = try #require(json(scene.laptop, "sync") as? [String: Any])["invitations"]
    printed["device list --invitations"] = try json(scene.laptop, "device", "list", "--invitations")
    printed["device approve"] = try json(scene.laptop, "device", "approve", "--yes")
    let cloned = try program.wait()
    #expect(cloned.exitCode == 0, "\(cloned)")
    printed["clone"] = try JSONSerialization.jsonObject(with: cloned.output)
    _ = try scene.invite()
    printed["cancel"] = try json(scene.laptop, "device", "invite", "--cancel")
    let expected: [String: Set<String>] = [
      "device invite": ["invitation", "code", "isAdmin", "apps", "id", "name", "expires", "command"],
      "sync": ["invitation", "state", "name", "words"],
      "device list --invitations": [
        "invitation", "state", "isAdmin", "apps", "id", "created", "expires", "name", "words",
      ],
      "device approve": ["invitation", "name", "machineID", "isAdmin", "apps", "id", "words", "isAnswered"],
      "clone": ["name", "machineID", "isAdmin", "apps", "id", "words", "headPhrase"],
      "cancel": ["invitation", "state"],
    ]
    let page = try DocumentationPage("JSONOutput").lines.joined(separator: "\n")
    for (command, value) in printed {
      #expect(keys(of: value) == expected[command], "\(command)")
      for key in keys(of: value) { #expect(page.contains("`\(key)`"), "\(command): \(key)") }
    }
    // The words are there before the wait, for people and for programs.
    #expect(try InvitationScene.words(in: cloned.errors) == (printed["clone"] as? [String: Any])?["words"] as? String)
  }
}
