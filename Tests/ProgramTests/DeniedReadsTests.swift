#if os(Linux)
  import CofferAgent
  import CofferTestSupport
  import CofferVault
  import Foundation
  import Testing

  /// Process trees that `coffer run --deny-reads` has started.
  @Suite struct DeniedReadsTests {
    private static let denial = "`coffer run --deny-reads` has started this process tree"
    private static let token = "coffer:///github.com/jane"
    private let coffer = Machine.path(of: "coffer")

    private func machine() throws -> Machine {
      let machine = try Machine.withExamples()
      machine.environment["COFFER_APP"] = "com.example.photo.pro"
      try machine.coffer("set", "github.com", "jane", input: "s3cret-value")
      return machine
    }

    private func run(_ machine: Machine, _ command: [String], wrapper: [String] = []) throws -> Machine.Outcome {
      try machine.start("coffer", ["run", "--deny-reads", "--"] + command, wrapper: wrapper).wait()
    }

    @Test(arguments: [
      ["get", "github.com", "jane"], ["get", "github.com", "jane", "--json"], ["read", token],
      ["inject", "--in", "template", "--out", "-"], ["env", "variables"], ["history", "github.com", "jane", "--show"],
    ])
    func `The commands that show values are refused, also if no passphrase protects the vault`(command: [String]) throws
    {
      let machine = try machine()
      _ = try machine.directory.write("template", "{{ \(Self.token) }}")
      _ = try machine.directory.write("variables", "A=\(Self.token)\n")
      let folder = ["env", "--chdir", machine.directory.path]
      #expect(try machine.start("coffer", command, wrapper: folder).wait().text.contains("s3cret-value"))
      let outcome = try run(machine, [coffer] + command, wrapper: folder)
      expectFailure(outcome, 4, Self.denial, "coffer run --env NAME=REFERENCE -- PROGRAM")
      #expect(outcome.output.isEmpty)
    }

    @Test func `Nor do the pages of coffer inspect open, nor the owner's own group or a file with the passphrase help`()
      throws
    {
      let machine = try Machine()
      let passphrase = try machine.makeVault(passphrase: "correct horse")
      try machine.succeed("coffer", ["set", "--passphrase-file", passphrase, "github.com", "jane"], input: "value")
      #expect(try machine.coffer("get", "github.com", "jane", "--passphrase-file", passphrase) == "value")
      let get = [coffer, "get", "github.com", "jane"]
      expectFailure(try run(machine, get), 5, "there is no terminal")
      expectFailure(try run(machine, get + ["--passphrase-file", passphrase]), 4, Self.denial)
      expectFailure(try run(machine, [coffer, "inspect", "--no-open", "--ask-in-page"]), 4, Self.denial)
      for command in [["vault-key", "show", "--yes"], ["vault-key", "rotate", "--yes"]] {
        expectFailure(try run(machine, [coffer] + command), 4, Self.denial)
      }
      let create = ["device", "create", "--name", "ci", "--apps", "coffer.personal", "--out", "-"]
      expectFailure(try run(machine, [coffer] + create), 4, Self.denial)
    }

    @Test func `Lists, changes and programs with values go on, and coffer run masks what the program prints`() throws {
      let machine = try machine()
      #expect(try run(machine, [coffer, "list"]).text.contains("jane"))
      #expect(try run(machine, [coffer, "history", "github.com", "jane"]).exitCode == 0)
      #expect(try run(machine, ["sh", "-c", "printf new | \(coffer) set github.com joe"]).exitCode == 0)
      let script = "test \"$A\" = s3cret-value && echo \"has $A\""
      let nested = try run(machine, [coffer, "run", "--env", "A=\(Self.token)", "--", "sh", "-c", script])
      #expect(nested.text == "has [masked]", "\(nested)")
      let given = try machine.run(
        "coffer", "run", "--deny-reads", "--env", "A=\(Self.token)", "--", "printenv", "A")
      #expect(given.text == "s3cret-value", "\(given)")
    }

    @Test func `git stores its password, and gets it only if a person allows the tree to show values`() throws {
      let machine = try machine()
      try machine.coffer("bridge", "install", "git")
      let message = "printf 'protocol=https\\nhost=example.com\\n"
      let store = "\(message)username=u\\npassword=git-password\\n\\n' | git credential approve"
      let fill = "\(message)\\n' | GIT_TERMINAL_PROMPT=0 git credential fill"
      let outcome = try run(machine, ["sh", "-c", "\(store); \(fill)"])
      #expect(outcome.errors.contains(Self.denial) && !outcome.text.contains("git-password"), "\(outcome)")
      #expect(try machine.start("/bin/sh", ["-c", fill]).wait().text.contains("password=git-password"))
    }

    /// Root could raise the limit: the right to is taken from it.
    private static let unprivileged =
      geteuid() == 0 ? ["setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource"] : []

    @Test(arguments: [
      "exec env -i HOME=\"$HOME\" COFFER_HOME=\"$COFFER_HOME\" \"$COFFER\" get github.com jane --app com.example.photo.pro",
      "exec setsid --wait \"$COFFER\" get github.com jane",
      "prlimit --pid $$ --locks=unlimited:unlimited; exec \"$COFFER\" get github.com jane",
      "exec bash -c 'ulimit -x unlimited 2>/dev/null; exec \"$COFFER\" get github.com jane'",
      "exec unshare --user --map-root-user sh -c 'prlimit --pid $$ --locks=unlimited; exec \"$COFFER\" get github.com jane'",
      "exec \"$COFFER\" run --mask -- \"$COFFER\" get github.com jane",
    ])
    func `No process leaves the tree by another environment, session, limit or user namespace`(script: String) throws {
      let machine = try machine()
      machine.environment["COFFER"] = coffer
      let direct = try machine.start("/bin/sh", ["-c", script], wrapper: Self.unprivileged).wait()
      #expect(direct.text == "s3cret-value", "without --deny-reads: \(direct)")
      let outcome = try run(machine, ["sh", "-c", script], wrapper: Self.unprivileged)
      #expect(outcome.exitCode == 4 && outcome.errors.contains(Self.denial) && outcome.output.isEmpty, "\(outcome)")
    }

    @Test func `A process that has forked twice and outlived its parents is still in the tree`() throws {
      let machine = try machine()
      let (out, done) = (machine.directory.path("out"), machine.directory.path("done"))
      let orphan =
        "while kill -0 $PARENT 2>/dev/null; do sleep 0.05; done; '\(coffer)' get github.com jane > '\(out)' 2>&1; "
        + "ps -o ppid= -p $$ > '\(done).part'; mv '\(done).part' '\(done)'"
      let outcome = try run(
        machine, ["sh", "-c", "PARENT=$$ setsid --fork sh -c \"$1\" </dev/null >/dev/null 2>&1", "sh", orphan])
      #expect(outcome.exitCode == 0, "\(outcome)")
      _ = try waitForFile(done)
      let text = try String(contentsOfFile: out, encoding: .utf8)
      #expect(text.contains(Self.denial) && !text.contains("s3cret-value"), "\(text)")
    }

    @Test func `With the agent, a person allows the tree to show values of a group, and is asked once`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock()
      let get = ([coffer] + AgentScene.get).joined(separator: " ")
      let outcome = try run(scene.machine, ["sh", "-c", "\(get) --reason why; \(get); exit"])
      #expect(outcome.text == "hunter2hunter2", "\(outcome)")
      let shown = try #require(dialog.descriptions().first)
      #expect(dialog.descriptions().count == 1 && shown.contains("%0ACounts for all that sh ("), "\(shown)")
      #expect(shown.contains(" to show ") && shown.contains("why"), "\(shown)")
      #expect(try scene.log().last?.purpose == "show")
      #expect(try scene.machine.coffer("agent", "log").contains("allowed to show"))
      // Another tree has no lease, and no other process needs one.
      #expect(try run(scene.machine, ["sh", "-c", "\(get); exit"]).text == "hunter2")
      #expect(dialog.descriptions().count == 2)
      #expect(try scene.get().text == "hunter2")
      #expect(dialog.descriptions().count == 2)
    }

    @Test func `Without a desktop and a terminal the agent refuses, and gives values to programs all the same`() throws
    {
      let scene = try AgentScene()
      try scene.unlock()
      expectFailure(try run(scene.machine, [coffer] + AgentScene.get), 5, "demands that a person answers")
      let reference = "coffer://\(AgentScene.group)/api/jane"
      let given = try run(scene.machine, [coffer, "run", "--env", "A=\(reference)", "--", "printenv", "A"])
      #expect(given.text == "[masked]", "\(given)")
    }

    @Test func `A lease of the tree around does not hold in the tree, nor the other way round`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let get = ([coffer] + AgentScene.get).joined(separator: " ")
      func count(_ script: String) throws -> Int {
        let before = dialog.descriptions().count
        let outcome = try scene.machine.run("/usr/bin/setsid", "--wait", "sh", "-c", "\(script); exit")
        #expect(outcome.text == "hunter2hunter2hunter2", "\(outcome)")
        return dialog.descriptions().count - before
      }
      #expect(try count("\(get); \(get); \(coffer) run --deny-reads -- \(get)") == 2)
      #expect(try count("\(coffer) run --deny-reads -- sh -c '\(get); \(get); exit'; \(get)") == 2)
    }

    @Test func `A lease to use values does not let the tree show them, and one to show them covers both`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let get = ([coffer] + AgentScene.get).joined(separator: " ")
      let use = "\(coffer) run --env A=coffer://\(AgentScene.group)/api/jane -- true"
      let outcome = try run(scene.machine, ["sh", "-c", "\(use); \(use); \(get); \(use); \(get); exit"])
      #expect(outcome.text == "hunter2hunter2", "\(outcome)")
      #expect(dialog.descriptions().map { $0.contains(" to show ") } == [false, true], "\(dialog.descriptions())")
    }

    @Test func `The purpose is what a client says: the agent believes any program that says it gives keys to one`()
      throws
    {
      let scene = try AgentScene()
      try scene.unlock()
      let answer = try scene.attack(
        """
        arguments = (\(scene.python(scene.machine.vault.path)).encode(), bytes.fromhex("\(scene.owner())"))
        group = bytes.fromhex("\(scene.groupID())")
        for purpose in (SHOW, USE):
            print(ask(connect(), opening(*arguments, [group], purpose))[:3])
        """, wrapper: [coffer, "run", "--deny-reads", "--"])
      #expect(answer == "b'\\x02\\x05\\x02'\nb'\\x02\\x02'", "\(answer)")
      // What demands a lease of everybody demands it here, too.
      try scene.unlock("--confirm")
      let confirmed = try scene.attack(
        """
        arguments = (\(scene.python(scene.machine.vault.path)).encode(), bytes.fromhex("\(scene.owner())"))
        print(ask(connect(), opening(*arguments, [bytes.fromhex("\(scene.groupID())")], USE))[:3])
        """, wrapper: [coffer, "run", "--deny-reads", "--"])
      #expect(confirmed == "b'\\x02\\x05\\x02'", "\(confirmed)")
    }

    @Test func `coffer run has a reason and a time for the lease of what it gives to its program`() throws {
      let scene = try AgentScene()
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      let outcome = try scene.machine.run(
        "coffer", "run", "--deny-reads", "--for", "90s", "--reason", "build", "--env",
        "A=coffer://\(AgentScene.group)/api/jane", "--", "printenv", "A")
      #expect(outcome.text == "hunter2", "\(outcome)")
      let shown = try #require(dialog.descriptions().first)
      #expect(shown.contains(" to use ") && shown.contains("for 90 seconds?"), "\(shown)")
      #expect(shown.hasSuffix("%0AReason given: “build”"), "\(shown)")
      #expect(try scene.log().last?.purpose == "use")
    }
  }
#endif
