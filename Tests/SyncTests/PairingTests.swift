import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// `coffer pair` and `coffer join`, with the programs and real repositories.
@Suite struct PairingTests {
  /// What `coffer pair --json` prints.
  private struct Line: Decodable {
    let token: String
    let invitation: String
    let url: String
  }

  private func line(_ machine: Machine, _ place: String? = nil) throws -> Line {
    let text = try machine.succeed("coffer", ["pair", "--json"] + (place.map { [$0] } ?? []))
    return try JSONDecoder().decode(Line.self, from: Data(text.utf8))
  }

  private func join(
    _ machine: Machine, _ token: String, wait: String = "10m", _ options: String...
  ) throws -> RunningProgram {
    try machine.start(
      "coffer", ["join", "--no-service", "--no-passphrase", "--name", "desktop", "--wait", wait] + options,
      input: Data(token.utf8))
  }

  /// Waits until `coffer pair` has printed its line, and returns it.
  private func token(of program: RunningProgram) throws -> String {
    func printed() throws -> Substring? {
      String(decoding: try program.outputSoFar(), as: UTF8.self).split(separator: "\n")
        .map { $0.drop { $0 == " " } }.first { $0.hasPrefix("PAIR1.") }
    }
    try waitUntil("the line is printed") { try printed() != nil }
    let line = try printed()
    return try String(#require(line))
  }

  private func roles(_ machine: Machine) throws -> Set<String> { Set(try machine.roles().map { "\($0) \($1)" }) }

  @Test func `Two commands bring a receipt over a real sshd to a second machine, which asks nobody for a vault key`()
    throws
  {
    let home = try TemporaryDirectory()
    let wrapper = try home.writeScript("login", "cd '\(home.path)' && exec sh -c \"$SSH_ORIGINAL_COMMAND\"")
    let server = try SSHServer(wrapper: wrapper)
    let (laptop, desktop) = (try Machine(), try Machine())
    for machine in [laptop, desktop] { machine.environment["COFFER_SSH_CONFIG"] = server.clientConfiguration }
    try laptop.coffer("set", "store.example.com", "receipt", input: "4711")
    let pair = try laptop.start("coffer", ["pair", "--yes", "\(server.user)@coffer-test"])
    let joined = try join(desktop, token(of: pair)).wait()
    #expect(joined.exitCode == 0 && joined.text.contains("This machine is an admin"), "\(joined)")
    let paired = try pair.wait()
    #expect(paired.exitCode == 0 && paired.text.contains("desktop is an admin"), "\(paired)")
    // Before it is shared, and at the end.
    #expect(paired.errors.components(separatedBy: "The vault key is not written down yet").count == 3, "\(paired)")
    #expect(paired.errors.contains("The machines meet at \(server.user)@coffer-test:coffer.git."), "\(paired)")
    #expect(try desktop.coffer("get", "store.example.com", "receipt") == "4711")
    let mode = try FileManager.default.attributesOfItem(atPath: home.path("coffer.git"))[.posixPermissions] as? Int
    #expect(mode == 0o700)
    #expect(try roles(laptop).count == 2 && roles(laptop) == roles(desktop))
  }

  @Test func `A personal vault joins the one of the line with every item, and Ctrl-C on either machine loses nothing`()
    throws
  {
    let vaults = try PersonalVaults(count: 12, same: 3, different: 2)
    let (laptop, desktop, folder) = (vaults.laptop, vaults.desktop, try TemporaryDirectory())
    let pair = try laptop.start("coffer", ["pair", folder.path])
    let token = try token(of: pair)
    let waiting = try join(desktop, token, "--yes")
    try waitUntil("the desktop waits") {
      String(decoding: try waiting.outputSoFar(), as: UTF8.self).contains("Waiting")
    }
    for program in [pair, waiting] {
      kill(program.processIdentifier, SIGINT)
      #expect(try program.wait().exitCode != 0)
    }
    #expect(try desktop.joinedValues() == vaults.desktopValues)
    #expect(try join(desktop, "", wait: "0s", "--yes").wait().exitCode == 7)
    let paired = try laptop.start("coffer", ["pair", "--yes", "--vault-key-file", vaults.key]).wait()
    #expect(paired.exitCode == 0 && !paired.text.contains("PAIR1."), "\(paired)")
    let joined = try join(desktop, "\n", "--yes").wait()
    #expect(joined.exitCode == 0 && joined.text.contains("brings 13 items"), "\(joined)")
    #expect(joined.text.contains("2 different"), "\(joined)")
    try vaults.desktop.coffer("check")
    try vaults.expectJoined()
    try laptop.sync()
    #expect(try laptop.joinedValues() == vaults.allValues)
    #expect(try desktop.status("unsyncedChanges") == "0")
    // Nothing stays of the exchange.
    let branches = try Command.run(
      "git", "-C", folder.path("coffer.git"), "for-each-ref", "--format=%(refname:short)", "refs/heads/invite-*")
    #expect(branches.isEmpty)
    // Both commands again: the first offers another line, the second has nothing to do.
    #expect(try line(laptop).url == folder.path("coffer.git"))
    let again = try join(desktop, token, "--yes").wait()
    #expect(again.exitCode == 1 && again.errors.contains("it syncs with"), "\(again)")
  }

  @Test func `A join that is killed at any step finishes at the next run, with every item once and one new machine`()
    throws
  {
    let template = try PersonalVaults(count: 12, same: 3, different: 2)
    try template.laptop.coffer("remote", "set", template.remote.path)
    let token = try line(template.laptop).token
    #expect(try join(template.desktop, token, wait: "0s", "--yes").wait().exitCode == 7)
    let paired = try template.laptop.start("coffer", ["pair", "--yes", "--vault-key-file", template.key]).wait()
    #expect(paired.exitCode == 0, "\(paired)")
    func joining(_ vaults: PersonalVaults) -> [String] {
      ["join", "--no-service", "--no-passphrase", "--yes", "--wait", "10m", vaults.remote.path]
    }
    let undisturbed = try PersonalVaults(copying: template)
    let steps = try undisturbed.desktop.steps(of: "coffer", joining(undisturbed))
    try undisturbed.expectJoined()
    let points: Set<FaultPoint> = [.vaultMoved, .appsJoined, .itemsTaken, .formerVaultRetired, .formerVaultDiscarded]
    #expect(points.isSubset(of: steps.map(\.point)))
    for step in steps {
      // The vault moves twice: to the folder of vaults that join, and into its place.
      let isTaken = step.occurrence == 1 || step.point == .vaultMoved || TestRun.isFull && step.occurrence % 5 == 0
      guard isTaken, TestRun.isFull || points.contains(step.point) else { continue }
      let vaults = try PersonalVaults(copying: template)
      try vaults.desktop.kill("coffer", joining(vaults), at: step)
      let before = try vaults.desktop.joinedValues()
      #expect(before == vaults.desktopValues || before == vaults.allValues, "\(step)")
      let again = try vaults.desktop.start("coffer", joining(vaults)).wait()
      if step.point == .formerVaultDiscarded {
        #expect(again.exitCode == 1 && again.errors.contains("it syncs with"), "\(step): \(again)")
      } else {
        #expect(again.exitCode == 0, "\(step): \(again)")
      }
      try vaults.desktop.sync()
      try vaults.expectJoined("\(step)")
      #expect(try vaults.desktop.roles().count == 2, "\(step)")
    }
  }

  @Test func `Whoever sees other words says no, which cancels the line and enrols nobody`() throws {
    let (laptop, desktop, folder) = (try Machine(), try Machine(), try TemporaryDirectory())
    try laptop.coffer("set", "a", "b", input: "c")
    let terminal = try PseudoTerminal(laptop, program: Machine.path(of: "coffer"), ["pair", folder.path])
    try terminal.await("PAIR1.")
    try terminal.await("goes on")
    let printed = try #require(terminal.screen.firstMatch(of: /PAIR1\.[^\r\n]*/)).output
    let waiting = try join(desktop, String(printed))
    try terminal.await("Does the new machine show exactly these words?")
    terminal.type("n\n")
    #expect(terminal.wait() == 5 && terminal.screen.contains("the line is cancelled"), "\(terminal.screen)")
    let refused = try waiting.wait()
    #expect(refused.exitCode == 4 && refused.errors.contains("the invitation was cancelled"), "\(refused)")
    #expect(try laptop.roles().count == 1)
    #expect(!FileManager.default.fileExists(atPath: desktop.vault.path))
  }

  @Test func `A line that was used, is of another vault or is mistyped enrols nobody, and its errors have none of it`()
    throws
  {
    let (laptop, desktop, thief) = (try Machine(), try Machine(), try Machine())
    let (folder, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    for machine in [laptop, thief] { try machine.coffer("set", "a", "b", input: "c") }
    let line = try line(laptop, folder.path)
    let joining = try join(desktop, line.token)
    #expect(try laptop.start("coffer", ["pair", "--yes"]).wait().exitCode == 0)
    #expect(try joining.wait().exitCode == 0)
    let late = try Machine()
    let used = try join(late, line.token)
    try waitUntil("the late machine asks") {
      try Command.run("git", "-C", folder.path("coffer.git"), "for-each-ref", "refs/heads/invite-*") != ""
    }
    try laptop.sync()
    let refused = try used.wait()
    #expect(refused.exitCode == 4 && refused.errors.contains("used already"), "\(refused)")
    // A host that shows the vault of a thief.
    _ = try self.line(thief, other.path)
    let foreign = try join(late, line.token, wait: "0s", other.path).wait()
    #expect(foreign.exitCode == 6 && foreign.errors.contains("another vault"), "\(foreign)")
    let wrong = [line.token.replacing("coffer.git", with: "koffer.git"), String(line.token.dropLast(3)), "PAIR1.", "x"]
    for token in wrong {
      let outcome = try join(late, token).wait()
      #expect(outcome.exitCode == 5 && !outcome.errors.contains("INVITE1-"), "\(outcome)")
    }
    let argument = try late.run("coffer", "join", line.token)
    #expect(argument.exitCode == 2 && argument.errors.contains("get a new line"), "\(argument)")
    #expect(!argument.errors.contains("INVITE1-"), "\(argument)")
    #expect(try laptop.roles().count == 2)
    #expect(!FileManager.default.fileExists(atPath: late.vault.path))
  }

  @Test(arguments: [
    "--upload-pack=touch pwned", "-oProxyCommand=touch pwned", "ssh://-oProxyCommand=touch/x", "ext::touch pwned",
    "-h:coffer.git", "/nowhere/coffer.git",
  ])
  func `The address of a line is no option and no command`(_ address: String) throws {
    let (laptop, desktop) = (try Machine(), try Machine())
    try laptop.coffer("set", "a", "b", input: "c")
    let code = InvitationCode.random(for: try laptop.local.membership().genesis.hash)
    let token = try unsafe PairingToken(code, address: address).text.withBytes {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    let outcome = try desktop.start(
      "coffer", ["join", "--no-service", "--no-passphrase"], input: Data(token.utf8),
      wrapper: ["env", "--chdir", desktop.directory.path]
    ).wait()
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: desktop.directory.path("pwned")))
    #expect(!FileManager.default.fileExists(atPath: desktop.vault.path))
  }

  @Test func `An invited member keeps its own vault until an admin makes it one, and then brings it`() throws {
    let scene = try InvitationScene()
    try scene.new.coffer("set", "own", "tablet", input: "mine")
    let invitation = try scene.invite()
    let options = ["--no-passphrase", "--yes"]
    #expect(try scene.clone(invitation.code, timeout: "0s", options: options).wait().exitCode == 7)
    #expect(try scene.approve().exitCode == 0)
    let member = try scene.clone(invitation.code, options: options).wait()
    #expect(member.exitCode == 4 && member.errors.contains("coffer admin add tablet"), "\(member)")
    #expect(try scene.new.coffer("get", "own", "tablet") == "mine")
    try scene.laptop.coffer("admin", "add", "tablet", "--vault-key-file", scene.two.key)
    let admin = try scene.clone(nil, options: options).wait()
    #expect(admin.exitCode == 0, "\(admin)")
    #expect(try scene.new.coffer("get", "own", "tablet") == "mine")
    try scene.laptop.sync()
    #expect(try scene.laptop.coffer("get", "own", "tablet") == "mine")
    #expect(try scene.branches().isEmpty)
  }

  @Test func `A vault that syncs keeps its remote, and a place must be named if nobody can be asked`() throws {
    let (laptop, folder, other) = (try Machine(), try TemporaryDirectory(), try TemporaryDirectory())
    let nothing = try laptop.run("coffer", "pair", folder.path)
    #expect(nothing.exitCode != 0 && !FileManager.default.fileExists(atPath: folder.path("coffer.git")), "\(nothing)")
    try laptop.coffer("set", "a", "b", input: "c")
    laptop.environment["COFFER_SSH_CONFIG"] = try folder.write("ssh", "Host nas *.example\n  Port 22\nHost=box\n")
    let unnamed = try laptop.run("coffer", "pair")
    #expect(unnamed.exitCode == 2 && unnamed.errors.contains("coffer pair user@host"), "\(unnamed)")
    #expect(unnamed.errors.contains("nas, box"), "\(unnamed)")
    _ = try line(laptop, folder.path)
    _ = try line(laptop, folder.path)
    let second = try laptop.run("coffer", "pair", "--json", other.path)
    #expect(second.exitCode == 2 && second.errors.contains("syncs with \(folder.path("coffer.git"))"), "\(second)")
  }

  @Test func `Both commands say that whoever can write to a folder can run programs as the user`() throws {
    let (laptop, desktop, folder) = (try Machine(), try Machine(), try TemporaryDirectory())
    try laptop.coffer("set", "a", "b", input: "c")
    let paired = try laptop.run("coffer", "pair", "--json", folder.path)
    #expect(paired.exitCode == 0 && paired.errors.contains("can run programs as you"), "\(paired)")
    let token = try JSONDecoder().decode(Line.self, from: paired.output).token
    let joined = try join(desktop, token, wait: "0s").wait()
    #expect(joined.exitCode == 7 && joined.errors.contains("can run programs as you"), "\(joined)")
    let named = try join(desktop, token, wait: "0s", folder.path).wait()
    #expect(named.errors.contains("can run programs as you"), "\(named)")
  }

  @Test func `Every key of the JSON of both commands is on the page of JSON keys`() throws {
    let (laptop, folder) = (try Machine(), try TemporaryDirectory())
    try laptop.coffer("set", "a", "b", input: "c")
    let text = try laptop.coffer("pair", "--json", folder.path)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let page = try DocumentationPage("JSONOutput").lines.joined(separator: "\n")
    #expect(Set(object.keys) == ["token", "invitation", "url", "expires"])
    for key in object.keys { #expect(page.contains("`\(key)`"), "\(key)") }
  }
}
