#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Apps in sandboxes that share items through the broker, and apps outside of one.
  @Suite(.enabled(if: SandboxedApps.isAvailable, "only root can install for all users; and install bubblewrap"))
  struct SandboxedAppTests {
    private let pro = "com.example.photo.pro"
    private let free = "com.example.photo.free"

    @Test func `Two Flatpaks of a vendor and its package share an item on a machine where nothing was set up`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      try apps.deploy(example: "PhotoFree", as: free)
      let bought = try apps.run(pro, "set", "photo-pro", "receipt-4711")
      #expect(bought.exitCode == 0, "\(bought)")
      #expect(try apps.run(free, "get", "photo-pro").text == "receipt-4711")
      let forged = try apps.run(free, "set", "photo-pro", "forged")
      #expect(forged.exitCode == 6 && forged.text.contains("may read the access group"), "\(forged)")
      // As a package installs it: its plist in a folder of shared data.
      let name = "com.example.photo.print"
      let folder = apps.machine.directory.url.appending(path: "share/coffer/apps")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let plist = folder.appending(path: "\(name).entitlements").path
      try entitlementsPlist(name, groups: ["~com.example.photo.purchases"]).write(
        toFile: plist, atomically: true, encoding: .utf8)
      try apps.machine.coffer("app", "sign", plist, "--team-key", apps.teamKey)
      apps.machine.environment["XDG_DATA_DIRS"] = apps.machine.directory.path("share")
      let printed = try apps.machine.run(apps.program, plist, "get", "photo-pro")
      #expect(printed.text == "receipt-4711", "\(printed)")
      #expect(try apps.machine.run(apps.program, plist, "set", "photo-pro", "receipt-4712").exitCode == 0)
      #expect(try apps.run(free, "get", "photo-pro").text == "receipt-4712")
    }

    @Test func `An app of another vendor gets no group of theirs, and the error says who can give it`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      #expect(try apps.run(pro, "set", "photo-pro", "receipt-4711").exitCode == 0)
      let other = "com.other.viewer"
      let plist = try apps.machine.directory.write(
        "other", entitlementsPlist(other, groups: ["~com.example.photo.purchases"]))
      try apps.deploy(other, plist: plist)
      let refused = try apps.run(other, "get", "photo-pro")
      #expect(refused.exitCode == 6 && refused.text.contains("coffer app add "), "\(refused)")
      #expect(!(try apps.machine.coffer("app", "list")).contains(other))
      // Nor with the plist of another app, or as one that is signed by nobody and takes the other one's identifier.
      try apps.deploy(other, plist: Machine.entitlements(of: "PhotoPro"), teamKey: apps.teamKey)
      #expect(try apps.run(other, "get", "photo-pro").exitCode == 6)
      try apps.deploy(pro, plist: Machine.entitlements(of: "PhotoPro"))
      let unsigned = try apps.run(pro, "get", "photo-pro")
      #expect(unsigned.exitCode == 6 && unsigned.text.contains("signed by no team"), "\(unsigned)")
    }

    @Test func `Only a plist counts that root has deployed for the application of the sandbox`() throws {
      let apps = try SandboxedApps()
      let without = try apps.run(pro, "get", "photo-pro")
      #expect(
        without.exitCode == 6 && without.text.contains("/app/share/coffer/apps/\(pro).entitlements"), "\(without)")
      let files = try apps.deploy(example: "PhotoPro", as: pro)
      // In the sandbox of another application, with the place of this one.
      let mixed = try apps.run("org.example.Other", "get", "photo-pro", files: files)
      #expect(mixed.exitCode == 6 && mixed.text.contains("org.example.Other"), "\(mixed)")
      for place in ["\(files)/../files", "relative/app/\(pro)/x/y/z/files", "/app", "/", files + "/share"] {
        #expect(try apps.run(pro, "get", "photo-pro", files: place).exitCode == 6, "\(place)")
      }
      // A sandbox can be started with the folder of another installation in the place of its own.
      let replaced = try apps.run(pro, "get", "photo-pro", files: "\(files)\noriginal-app-path=/home/x")
      #expect(replaced.exitCode == 6 && replaced.text.contains("does not say where"), "\(replaced)")
      // A link to the plist of another app.
      let other = try apps.deploy(free, plist: Machine.entitlements(of: "PhotoFree"))
      try Command.run(
        "ln", "-sf", "\(files)/share/coffer/apps/\(pro).entitlements", "\(other)/share/coffer/apps/\(free).entitlements"
      )
      #expect(try apps.run(free, "get", "photo-pro").exitCode == 6)
      // What a user has installed can be changed by each program of the user.
      try apps.deploy(pro, plist: Machine.entitlements(of: "PhotoPro"), teamKey: apps.teamKey, owner: 12_345)
      let personal = try apps.run(pro, "get", "photo-pro")
      #expect(personal.exitCode == 6 && personal.text.contains("flatpak install --system"), "\(personal)")
      #expect(!FileManager.default.fileExists(atPath: apps.machine.vault.path))
    }

    @Test func `A program outside of a sandbox gets no socket, whatever it says`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let answer = try apps.desktop.run(
        [
          "/usr/bin/dbus-send", "--print-reply", "--dest=org.coffer.Vault1", "/org/coffer/Vault1",
          "org.coffer.Vault1.Open",
        ], environment: ["FLATPAK_ID": pro])
      #expect(answer.exitCode != 0 && answer.errors.contains("AccessDenied"), "\(answer)")
    }

    @Test func `The error of an app that does not reach the broker names the line of the manifest`() throws {
      let apps = try SandboxedApps(isInstalled: false)
      let outcome = try apps.run(pro, "get", "photo-pro")
      #expect(outcome.exitCode == 6 && outcome.text.contains("--talk-name=org.coffer.Vault1"), "\(outcome)")
      #expect(outcome.text.contains("coffer secret-service install --apps"))
      let swift = try apps.runSwift(pro, "SandboxProgram")
      #expect(swift.exitCode == 1 && swift.errors.contains("--talk-name=org.coffer.Vault1"), "\(swift)")
    }

    @Test func `A Swift app in a Flatpak without the product CofferSandbox creates no vault there, and names it`()
      throws
    {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let outcome = try apps.runSwift(pro, "PhotoPro")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("--talk-name=org.coffer.Vault1"), "\(outcome)")
      #expect(outcome.errors.contains("product CofferSandbox"), "\(outcome)")
    }

    @Test func `A Swift app in a Flatpak sees what PhotoPro outside has bought, and cannot forge it`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoFree", as: free)
      #expect(try apps.runSwift(free, "SandboxProgram").text.hasPrefix("free sandbox"))
      let plist = try apps.machine.directory.write(
        "\(pro).entitlements", String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8))
      try apps.machine.coffer("app", "sign", plist, "--team-key", apps.teamKey)
      try apps.machine.coffer("app", "add", plist)
      try apps.machine.succeed("PhotoPro", ["buy"])
      let bought = try apps.runSwift(free, "SandboxProgram")
      #expect(bought.text == "Pro unlocked sandbox\nforge throws notEntitled", "\(bought)")
      // An app of another vendor.
      let other = "com.other.viewer"
      let stolen = try apps.machine.directory.write(
        "other", entitlementsPlist(other, groups: ["~com.example.photo.purchases"]))
      try apps.deploy(other, plist: stolen)
      let refused = try apps.runSwift(other, "SandboxProgram")
      #expect(refused.exitCode == 1 && refused.errors.contains("signed by no team"), "\(refused)")
    }

    @Test func `Each call of a Swift app returns in a Flatpak what it returns outside of one`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let inside = try apps.runSwift(pro, "SandboxProgram", "calls")
      let outside = try apps.machine.run(
        "SandboxProgram", "calls",
        environment: ["COFFER_VAULT": ":memory:", "COFFER_ENTITLEMENTS": Machine.entitlements(of: "PhotoPro")])
      #expect(inside.exitCode == 0 && inside.text == outside.text, "\(inside)\n\(outside)")
      #expect(inside.text.split(separator: "\n").count > 50)
      #expect(try apps.runSwift(pro, "SandboxProgram", "transaction").text == "transaction throws notEntitled")
      try apps.machine.coffer("check")
    }

    /// Kills the broker some times while an app makes calls. Expects that each of them succeeds or says that it has
    /// ended, and that one was killed.
    private func expectEachCallCounts(
      _ count: Int, of app: RunningProgram, in apps: SandboxedApps, killing limit: Int
    ) throws {
      var killed: Set<Int32> = []
      while app.isRunning, killed.count < limit {
        if let process = try apps.broker(), try !app.outputSoFar().isEmpty {
          kill(process, SIGKILL)
          killed.insert(process)
        }
        usleep(50_000)
      }
      let outcome = try app.wait()
      let counts = outcome.text.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) } ?? []
      try #require(counts.count == 3, "\(outcome)")
      #expect(counts[2] == 0 && counts[0] > 0 && counts.reduce(0, +) == count, "\(outcome)")
      #expect(!killed.isEmpty)
    }

    @Test func `A Swift app in a Flatpak goes on with a broker that was killed, and hears of later changes`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let watcher = try apps.startSwift(pro, "SandboxProgram", "watch")
      defer { watcher.kill() }
      try waitUntil("the app watches") { try !watcher.outputSoFar().isEmpty || !watcher.isRunning }
      let app = try apps.startSwift(pro, "SandboxProgram", "loop", "300")
      defer { app.kill() }
      try expectEachCallCounts(300, of: app, in: apps, killing: 4)
      let before = try watcher.outputSoFar().count
      try waitUntil("the app hears of a change") {
        try apps.machine.coffer("set", "x", "y", "--group", "com.example.photo.purchases", input: "z")
        return try watcher.outputSoFar().count > before || !watcher.isRunning
      }
      if !watcher.isRunning { Issue.record("\(try watcher.wait())") }
    }

    @Test func `An app unlocks its vault from a Flatpak with the passphrase, and a wrong one is refused`() throws {
      let apps = try SandboxedApps()
      let passphrase = try apps.machine.makeVault(passphrase: "correct horse")
      let plist = try apps.deploy(example: "PhotoPro", as: pro) + "/share/coffer/apps/\(pro).entitlements"
      try apps.machine.coffer("app", "add", "--locked", plist, "--passphrase-file", passphrase)
      let outcome = try apps.runSwift(pro, "SandboxProgram", "unlock", "correct horse")
      let lines = [
        "at first throws locked", "wrong throws authenticationFailed", "right ()", "set 20", "string secret",
        "locked true",
      ]
      #expect(outcome.text == lines.joined(separator: "\n"), "\(outcome)")
    }

    @Test
    func `Guesses of a Flatpak on many connections are tried one by one, and other apps do not wait for all`() throws {
      let apps = try SandboxedApps()
      let passphrase = try apps.machine.makeVault(passphrase: "correct horse")
      let hostile = "com.other.hostile"
      let plist = try apps.machine.directory.write("hostile", entitlementsPlist(hostile, groups: ["~" + hostile]))
      let deployed: [(identifier: String, plist: String, key: String?)] = [
        (pro, Machine.entitlements(of: "PhotoPro"), apps.teamKey), (hostile, plist, nil),
      ]
      for (identifier, plist, key) in deployed {
        let files = try apps.deploy(identifier, plist: plist, teamKey: key)
        let file = "\(files)/share/coffer/apps/\(identifier).entitlements"
        try apps.machine.coffer("app", "add", "--locked", file, "--passphrase-file", passphrase)
      }
      let command = try apps.hostile(hostile, ["guess"])
      let attacker = try apps.machine.start(command[0], Array(command.dropFirst()))
      defer { attacker.kill() }
      /// What the attacker has printed: a word and a time in each line.
      func lines() throws -> [(word: String, time: Double)] {
        let text = String(decoding: try attacker.outputSoFar(), as: UTF8.self)
        // The last line may have been written in part.
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
          line -> (word: String, time: Double) in
          let words = line.split(separator: " ")
          let time = try #require(words.last.flatMap { Double($0) })
          return (String(words[0]), time)
        }
      }
      func waitForAnswers(_ count: Int) throws {
        try waitUntil("\(count) guesses are answered") { try lines().count > count || !attacker.isRunning }
        if !attacker.isRunning { Issue.record("\(try attacker.wait())") }
      }
      try waitForAnswers(1)
      let unlocked = try apps.desktop.run(apps.hostile(pro, ["unlock"]), input: "correct horse")
      let words = unlocked.text.split(separator: " ")
      try #require(words.count == 4 && words[3] == "True", "\(unlocked)")
      let (asked, answered) = (try #require(Double(words[1])), try #require(Double(words[2])))
      try waitForAnswers(4)
      let all = try lines()
      let begin = try #require(all.first?.time)
      let answers = all.dropFirst()
      // A wrong passphrase costs a second, in which no other guess of the app is tried.
      for (number, answer) in answers.enumerated() {
        #expect(answer.word == "authenticationFailed" && answer.time - begin >= Double(number + 1), "\(all)")
      }
      // Of the twelve guesses that are always there, the other app waits for the one that is being tried.
      #expect(answers.count { $0.time > asked && $0.time < answered } < 6, "\(all), \(unlocked)")
      try apps.machine.coffer("check")
    }

    @Test func `All pages say that a Flatpak is protected by its sandbox, and that this is advisory`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      #expect(try apps.run(pro, "enforcement").text == "4")
      let words = "by the sandbox (advisory)"
      #expect(try apps.machine.coffer("app", "list").contains(words))
      #expect(try apps.machine.coffer("app", "show", pro).contains(words))
      let why = try apps.machine.coffer("why", pro, "com.example.photo.purchases")
      #expect(why.contains("Apps in other sandboxes cannot"), "\(why)")
      let doctor = try apps.machine.run("coffer", "doctor").text
      #expect(
        doctor.contains("Apps in other sandboxes cannot") && doctor.contains("coffer app add --locked"), "\(doctor)")
      // Without the Flatpak, it is an app as others.
      try FileManager.default.removeItem(at: apps.flatpak.url.appending(path: "app"))
      #expect(!(try apps.machine.coffer("app", "list")).contains(words))
    }

    @Test func `An app whose keys a passphrase protects gets them while the agent has them, and no longer`() throws {
      let apps = try SandboxedApps()
      let passphrase = try apps.machine.makeVault(passphrase: "correct horse")
      let plist = try apps.deploy(example: "PhotoPro", as: pro) + "/share/coffer/apps/\(pro).entitlements"
      // No dialog can be shown here.
      let unregistered = try apps.run(pro, "get", "photo-pro")
      #expect(unregistered.exitCode == 7 && unregistered.text.contains("coffer app add \(plist)"), "\(unregistered)")
      try apps.machine.coffer("app", "add", "--locked", plist, "--passphrase-file", passphrase)
      let locked = try apps.run(pro, "set", "photo-pro", "receipt-4711")
      #expect(locked.exitCode == 7 && locked.text.contains("coffer unlock"), "\(locked)")
      let agent = try apps.machine.start("coffer-agent", [])
      defer { agent.kill() }
      try waitUntil("the agent takes the keys") {
        try apps.machine.run("coffer", "unlock", "--passphrase-file", passphrase).exitCode == 0
      }
      #expect(try apps.run(pro, "set", "photo-pro", "receipt-4711").exitCode == 0)
      let relocked = try apps.runSwift(pro, "SandboxProgram", "relock")
      let lines = ["unlock ()", "set 20", "locked throws locked", "again ()", "string secret"]
      #expect(relocked.text == lines.joined(separator: "\n"), "\(relocked)")
      let readers = try ["reads", "refusals"].map { try apps.start(pro, $0, "photo-pro") }
      defer { readers.forEach { $0.kill() } }
      for reader in readers {
        try waitUntil("the app reads") { try !reader.outputSoFar().isEmpty || !reader.isRunning }
      }
      try apps.machine.coffer("lock")
      // Also after a request that fails, no key is kept for the next one.
      for (reader, first) in zip(readers, ["receipt-4711\n", "refused\n"]) {
        let ended = try reader.wait()
        #expect(ended.exitCode == 7 && ended.text.hasPrefix(first), "\(ended)")
      }
    }

    @Test func `On a machine with a passphrase, a person registers a Flatpak in a dialog that says what it gets`()
      throws
    {
      let folder = try TemporaryDirectory()
      let dialog = try folder.writeScript(
        "pinentry",
        """
        echo OK
        while read -r line; do
          printf '%s\\n' "$line" >> '\(folder.path("spoken"))'
          case $line in GETPIN) echo 'D correct horse' ;; esac
          echo OK
        done
        """)
      let apps = try SandboxedApps(environment: ["DISPLAY": ":99", "COFFER_TEST_PINENTRY": dialog])
      try apps.machine.makeVault(passphrase: "correct horse")
      try apps.deploy(example: "PhotoPro", as: pro)
      let bought = try apps.run(pro, "set", "photo-pro", "receipt-4711")
      #expect(bought.exitCode == 0, "\(bought)")
      let spoken = try String(contentsOfFile: folder.path("spoken"), encoding: .utf8)
      #expect(spoken.contains("root vouches for its plist") && spoken.contains("com.example.photo.purchases"))
      #expect(spoken.split(separator: "\n").count { $0 == "GETPIN" } == 1)
    }

    @Test(arguments: ["watches", "threads"])
    func `Watches and threads of a program in C do in a sandbox what they do outside of one`(part: String) throws {
      let apps = try SandboxedApps()
      let files = try apps.deploy(example: "PhotoPro", as: pro)
      let program = try apps.compile("Tests/LibraryTests/calls.c", as: "calls")
      let plist = "\(apps.tools.url.path)/plist"
      try Command.run("cp", "\(files)/share/coffer/apps/\(pro).entitlements", plist)
      let outcome = try apps.desktop.run(apps.sandbox(pro) + [program, plist, part])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }

    @Test func `A program in Python shares the item from a sandbox`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      try apps.deploy(example: "PhotoFree", as: free)
      #expect(try apps.run(pro, "set", "photo-pro", "receipt-4711").exitCode == 0)
      let package = DocumentationPage.root.appending(path: "Sources/ForApps/PythonLibrary/coffer").path
      try Command.run("cp", "-r", package, apps.tools.url.path)
      let script = """
        import coffer
        with coffer.open() as vault:
            with vault.read("store.example.com", "photo-pro", group="com.example.photo.purchases") as secret:
                print(secret.text(), vault.enforcement.name)
        """
      let outcome = try apps.desktop.run(
        apps.sandbox(free) + ["/usr/bin/python3", "-B", "-c", script],
        environment: ["PYTHONPATH": apps.tools.url.path, "LD_LIBRARY_PATH": apps.tools.url.path])
      #expect(outcome.text == "receipt-4711 SANDBOX", "\(outcome)")
    }

    @Test func `A vault that an app has locked stays locked until the app unlocks it`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      #expect(try apps.run(pro, "lock").text == "10")
    }

    @Test func `When the broker is killed, calls go on or say that it has ended, and nothing is half written`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let count = 300
      let app = try apps.start(pro, "calls", "photo-pro", "\(count)")
      defer { app.kill() }
      try expectEachCallCounts(count, of: app, in: apps, killing: 8)
      try apps.machine.coffer("check")
    }

    @Test func `Four apps at once get what they ask for, and a hostile one is closed without their noticing`() throws {
      let apps = try SandboxedApps()
      try apps.deploy(example: "PhotoPro", as: pro)
      let hostile = "com.other.hostile"
      let plist = try apps.machine.directory.write("hostile", entitlementsPlist(hostile))
      try apps.deploy(hostile, plist: plist)
      let attacks = [
        "garbage", "no_request", "deep", "too_long", "unfinished", "deaf", "many", "lies",
      ]
      let command = try apps.hostile(hostile, attacks)
      let attacker = try apps.machine.start(command[0], Array(command.dropFirst()))
      defer { attacker.kill() }
      let count = TestRun.isFull ? 250 : 50
      let running = try (0..<4).map { try apps.start(pro, "calls", "item-\($0)", "\(count)") }
      defer { for app in running { app.kill() } }
      for app in running {
        let outcome = try app.wait()
        #expect(outcome.text.hasSuffix("good \(count) ended 0 wrong 0"), "\(outcome)")
      }
      let outcome = try attacker.wait()
      #expect(outcome.text == attacks.map { "\($0) True" }.joined(separator: "\n"), "\(outcome)")
      // It is still the same process.
      #expect(try apps.run(pro, "get", "item-0").exitCode == 0)
      try apps.machine.coffer("check")
    }
  }

  /// The same with the programs of Flatpak: its sandbox, its proxy of the bus and its file `.flatpak-info`.
  @Suite(.enabled(if: SandboxedApps.hasFlatpak, "install flatpak with: Scripts/bootstrap --with clients"))
  struct FlatpakAppTests {
    @Test(.inFullRun) func `Flatpaks of one vendor share an item, and others or one without permission do not`() throws
    {
      let apps = try TemporaryDirectory.$parent.withValue(URL(filePath: "/var/tmp")) { try SandboxedApps() }
      let (pro, free, other) = ("com.example.photo.pro", "com.example.photo.free", "com.other.viewer")
      var words = [apps.machine.directory.path("made"), apps.tools.url.path]
      for (identifier, example) in [(pro, "PhotoPro"), (free, "PhotoFree"), (other, "")] {
        let text =
          example.isEmpty
          ? entitlementsPlist(identifier, groups: ["~com.example.photo.purchases"])
          : try String(contentsOfFile: Machine.entitlements(of: example), encoding: .utf8)
        let plist = try apps.machine.directory.write("\(identifier).entitlements", text)
        if !example.isEmpty { try apps.machine.coffer("app", "sign", plist, "--team-key", apps.teamKey) }
        words += [identifier, plist]
      }
      let script = DocumentationPage.root.appending(path: "Tests/SecretServiceTests/Clients/deploy_flatpaks.sh").path
      let deployed = try apps.machine.start(script, words).wait()
      try #require(deployed.exitCode == 0, "\(deployed)")
      func run(_ options: [String], _ words: [String]) throws -> Machine.Outcome {
        try apps.desktop.run(["/usr/bin/flatpak", "--system", "run"] + options + words)
      }
      let bought = try run([], [pro, "", "set", "photo-pro", "receipt-4711"])
      #expect(bought.exitCode == 0, "\(bought)")
      #expect(try run([], [free, "", "get", "photo-pro"]).text == "receipt-4711")
      let refused = try run([], [other, "", "get", "photo-pro"])
      #expect(refused.exitCode == 6 && refused.text.contains("signed by no team"), "\(refused)")
      let lonely = try run(["--no-talk-name=org.coffer.Vault1"], [free, "", "get", "photo-pro"])
      #expect(lonely.exitCode == 6 && lonely.text.contains("--talk-name=org.coffer.Vault1"), "\(lonely)")
      #expect(try run([], [pro, "", "enforcement"]).text == "4")
    }
  }
#endif
