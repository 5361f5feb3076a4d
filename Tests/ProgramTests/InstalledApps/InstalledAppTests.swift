#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// Apps that root installs: a group of their own keeps other programs of the same user from their keys.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct InstalledAppTests {
    private let program = InstalledScene.program
    private let bundleID = InstalledScene.bundleID

    @Test func `An installed app opens its vault without a change in it, and the credential file is gone`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let files = "/home/alice/.local/share/coffer/vaults/default/apps"
      #expect(try scene.system.succeed(["ls", files]).contains(bundleID))
      let former = try scene.coffer("app", "show", bundleID)
      #expect(former.contains("by credential file only") && former.contains("sudo coffer app install"))
      try scene.install()
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      #expect(
        try scene.system.succeed(["find", files, "-path", "*photo.pro*", "-type", "f", "-not", "-name", "*.lock"]) == ""
      )
      #expect(try scene.coffer("app", "show", bundleID).contains("by install. The app's credential is installed"))
      let undoing = try scene.system.run(["/usr/local/bin/coffer", "app", "install", bundleID], as: "alice")
      expectFailure(undoing, 2, "would undo that", "sudo coffer app install")
      // What it wrote before it was installed still counts, and its sister reads it.
      #expect(try scene.system.succeed(["/usr/local/apps/PhotoFree"], as: "alice").contains("Pro unlocked"))
    }

    @Test func `A first launch makes no credential file for an app that is installed on the machine`() throws {
      let scene = try InstalledScene()
      try scene.system.succeed(["mkdir", "-p", "/usr/local/share/coffer/apps"])
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      try scene.system.write(plist, to: "/usr/local/share/coffer/apps/\(bundleID).entitlements")
      // The app of another user, who has a vault with it, but no credential.
      try scene.system.addUser("bob")
      try scene.system.write(plist, to: "/home/bob/PhotoPro.entitlements", as: "bob")
      for command in [
        ["init", "--name", "desktop", "--no-passphrase", "--vault-key-file", "key"],
        ["app", "add", "PhotoPro.entitlements"],
      ] { try scene.system.succeed(["/usr/local/bin/coffer"] + command, as: "bob") }
      let files = "/home/bob/.local/share/coffer/vaults/default/apps"
      try scene.system.succeed(["rm", "-rf", files])
      try scene.system.succeed(["cp", program, "copy"], as: "bob")
      for path in [program, "./copy"] {
        #expect(try scene.system.run([path], as: "bob").exitCode == 1)
        #expect(try scene.system.run(["find", files, "-name", "credential"], as: "bob").text == "")
      }
    }

    @Test func `A member of the group who was added later is named when the app opens its vault`() throws {
      let scene = try InstalledScene()
      try scene.system.succeed(["gpasswd", "--add", "alice", try scene.group()])
      expectFailure(
        try scene.system.run([program], as: "alice"), 1, "users are members of coffer-", "alice", "gpasswd --delete")
    }

    @Test func `Files, group and mode are those of the documentation, and nobody is a member of the group`() throws {
      let scene = try InstalledScene.shared()
      func facts(_ path: String) throws -> String {
        try scene.system.succeed(["stat", "--format", "%U %G %a", path])
      }
      let group = try scene.group()
      #expect(group.hasPrefix("coffer-") && group.utf8.count <= 32, "the system's limit")
      #expect(try facts(program) == "root \(group) 2755")
      let credential = try scene.credential()
      #expect(try facts(credential) == "alice \(group) 600")
      #expect(try facts((credential as NSString).deletingLastPathComponent) == "root \(group) 3770")
      for path in ["", "/keys", "/users"] { #expect(try facts(InstalledScene.folder + path) == "root root 755") }
      #expect(try facts(InstalledScene.folder + "/program") == "root root 644")
      #expect(try scene.system.succeed(["getent", "group", group]).hasSuffix(":"))
      #expect(try !scene.system.succeed(["id", "alice"]).contains(group))
    }

    @Test func `A second user gets a credential of a vault of their own, and neither app process reads the other's`()
      throws
    {
      let scene = try InstalledScene()
      try scene.system.addUser("bob")
      try scene.system.write("secret", to: "/home/bob/passphrase", as: "bob")
      let variables = ["COFFER_PASSPHRASE_FILE": "/home/bob/passphrase", "COFFER_TEST_PASSPHRASE_COST": "floor"]
      func coffer(_ arguments: String...) throws {
        try scene.system.succeed(["/usr/local/bin/coffer"] + arguments, as: "bob", environment: variables)
      }
      try coffer("init", "--name", "desktop", "--vault-key-file", "vault-key")
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      try scene.system.write(plist, to: "/home/bob/PhotoPro.entitlements", as: "bob")
      try coffer("app", "add", "PhotoPro.entitlements")
      // Without --setgid: the program is installed already.
      let outcome = try scene.system.run(
        [
          "/usr/local/bin/coffer", "app", "install", bundleID, "--for", "bob", "--passphrase-file",
          "/home/bob/passphrase",
        ])
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try scene.system.succeed([program], as: "bob") == "Photo Pro: not bought yet; run PhotoPro buy")
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      // As if bob had taken over the app: his uid with its group.
      let taken = ["setpriv", "--reuid", "bob", "--regid", try scene.group(), "--clear-groups", "--"]
      let credential = try scene.credential().split(separator: " ").map(String.init)
      #expect(credential.count == 2)
      let owners = try credential.map { try scene.system.succeed(["stat", "--format", "%U", $0]) }
      for (file, owner) in zip(credential, owners) {
        let isOwn = owner == "bob"
        #expect(try scene.system.run(taken + ["head", "-c", "4", file]).exitCode == (isOwn ? 0 : 1))
        let move = try scene.system.run(taken + ["mv", "-f", file, file + ".moved"])
        #expect((move.exitCode == 0) == isOwn, "\(move)")
      }
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `A program that was replaced is refused and named, and reinstall accepts it`() throws {
      let scene = try InstalledScene()
      let group = try scene.group()
      // As an upgrade by hand: another file, with the mode of an ordinary program.
      try scene.system.succeed(["cp", program, "/usr/local/apps/new"])
      try scene.system.succeed(["mv", "/usr/local/apps/new", program])
      expectFailure(
        try scene.system.run([program], as: "alice"), 1, "only \(program) can read its keys", "coffer app reinstall")
      #expect(try scene.coffer("app", "list").contains("by install") == false)
      #expect(try scene.coffer("app", "show", bundleID).contains("it has another group"))
      // As one by a package manager that keeps group and mode.
      try scene.system.succeed(["chown", "root:\(group)", program])
      try scene.system.succeed(["chmod", "2755", program])
      expectFailure(
        try scene.system.run([program], as: "alice"), 1, "is not the one that was installed", "it is another file",
        "sudo coffer app reinstall \(bundleID)")
      #expect(try scene.sudo("reinstall", bundleID).exitCode == 0)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      let changes: [(change: String, words: String, exitCode: Int32)] = [
        ("chmod 2775", "can be written by others than root", 2), ("chmod 2711", "it has another mode (2711)", 0),
        ("chown alice", "belongs to another user than root", 2),
      ]
      for (change, words, exitCode) in changes {
        try scene.system.succeed(["sh", "-c", "\(change) \(program) && chmod g+s \(program)"])
        expectFailure(try scene.system.run([program], as: "alice"), 1, words)
        #expect(try scene.coffer("app", "show", bundleID).contains(words))
        // Root accepts another mode, and sets the right one.
        #expect(try scene.sudo("reinstall", bundleID).exitCode == exitCode, "\(change)")
        try scene.system.succeed(["chown", "root:\(group)", program])
        try scene.system.succeed(["chmod", "2755", program])
        #expect(try scene.sudo("reinstall", bundleID).exitCode == 0, "\(change)")
      }
    }

    @Test func `A hard link is the program, and after an upgrade it opens nothing`() throws {
      let scene = try InstalledScene()
      let link = "/usr/local/apps/link"
      try scene.system.succeed(["ln", program, link])
      #expect(try scene.system.succeed([link], as: "alice") == "Photo Pro: all filters")
      try scene.system.succeed(["sh", "-c", "cp \(program) new && mv new \(program)"])
      #expect(try scene.sudo("reinstall", bundleID).exitCode == 0)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      // The former file still has the group and the mode.
      #expect(try scene.system.succeed(["stat", "--format", "%a", link]) == "2755")
      expectFailure(
        try scene.system.run([link], as: "alice"), 1, "is not the one that was installed: it is another file")
    }

    @Test func `A member of the group is named, and the app counts as not enforced`() throws {
      let scene = try InstalledScene()
      try scene.system.succeed(["gpasswd", "--add", "alice", try scene.group()])
      let shown = try scene.coffer("app", "show", bundleID)
      #expect(shown.contains("users are members of coffer-") && shown.contains("alice"))
      expectFailure(try scene.sudo("reinstall", bundleID), 6, "alice", "gpasswd --delete")
      expectFailure(try scene.sudo("install", bundleID), 6, "alice", "gpasswd --delete")
    }

    @Test func `Uninstalling leaves an ordinary program, no group and no key`() throws {
      let scene = try InstalledScene()
      let group = try scene.group()
      #expect(try scene.sudo("uninstall", bundleID).exitCode == 0)
      #expect(try scene.system.run(["test", "-e", InstalledScene.folder]).exitCode == 1)
      #expect(try scene.system.run(["getent", "group", group]).exitCode == 2)
      #expect(try scene.system.succeed(["stat", "--format", "%U %G %a", program]) == "root root 755")
      expectFailure(try scene.system.run([program], as: "alice"), 1, "no credential on this machine")
      expectFailure(try scene.sudo("uninstall", bundleID), 3, "is not installed")
      // It can be installed again.
      try scene.install()
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `What is not root's alone, a script, and an owner without a passphrase are refused by name`() throws {
      let scene = try InstalledScene(isInstalled: false)
      func refusal(_ path: String, _ words: String...) throws {
        let outcome = try scene.sudo("install", bundleID, "--setgid", path)
        #expect(outcome.exitCode == 2, "\(outcome)")
        for word in words { #expect(outcome.errors.contains(word), "\(outcome)") }
      }
      try refusal("PhotoPro", "not an absolute path")
      try scene.system.succeed(["cp", program, "/home/alice/PhotoPro"], as: "alice")
      try refusal("/home/alice/PhotoPro", "changed by others than root", "belongs to another user")
      try scene.system.succeed([
        "sh", "-c", "echo '#!/bin/sh' > /usr/local/apps/script && chmod 755 /usr/local/apps/script",
      ])
      try refusal("/usr/local/apps/script", "not an ELF program", "interpreter")
      try scene.system.succeed(["ln", "-s", program, "/usr/local/apps/link"])
      #expect(try scene.sudo("install", bundleID, "--setgid", "/usr/local/apps/link").exitCode != 0)
      try scene.system.succeed(["ln", program, "/usr/local/apps/hard"])
      try refusal(program, "other names (hard links)")
      try scene.system.succeed(["rm", "/usr/local/apps/hard"])
      try scene.system.succeed(["sh", "-c", "cp \(program) /usr/local/apps/open && chmod 757 /usr/local/apps/open"])
      try refusal("/usr/local/apps/open", "can be written by others than root")
      // A folder for a variant of the processor, in which glibc 2.36 looks first.
      let directory = try TemporaryDirectory()
      let source = try directory.write("main.c", "int main(void) { return 0; }\n")
      try Command.run("clang", source, "-Wl,-rpath,/usr/local/apps/lib", "-o", directory.path("searching"))
      try scene.system.succeed(["cp", directory.path("searching"), "/usr/local/apps/searching"])
      try scene.system.succeed([
        "sh", "-c", "mkdir -p /usr/local/apps/lib/tls/x86_64 && chown alice /usr/local/apps/lib/tls/x86_64",
      ])
      try refusal(
        "/usr/local/apps/searching", "searches libraries where others than root can put them", "lib/tls/x86_64")
      try scene.system.succeed(["sh", "-c", "echo '/home/alice/every.so # for all' > /etc/ld.so.preload"])
      try refusal(program, "/etc/ld.so.preload names the library /home/alice/every.so", "belongs to another user")
      try scene.system.succeed(["rm", "/etc/ld.so.preload"])
      #expect(try scene.system.run(["getent", "group"]).text.contains("coffer-") == false)

      try scene.system.addUser("bob")
      try scene.system.succeed(
        ["/usr/local/bin/coffer", "init", "--name", "desktop", "--no-passphrase", "--vault-key-file", "key"], as: "bob")
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      try scene.system.write(plist, to: "/home/bob/PhotoPro.entitlements", as: "bob")
      try scene.system.succeed(["/usr/local/bin/coffer", "app", "add", "PhotoPro.entitlements"], as: "bob")
      let outcome = try scene.system.run(
        ["/usr/local/bin/coffer", "app", "install", bundleID, "--setgid", program, "--for", "bob"])
      #expect(outcome.exitCode == 1 && outcome.errors.contains("coffer passphrase set"), "\(outcome)")
      #expect(try scene.system.run(["find", "\(InstalledScene.folder)/keys", "-type", "f"]).text == "")
      // Without root's rights, nothing begins.
      let plain = try scene.system.run(
        ["/usr/local/bin/coffer", "app", "install", bundleID, "--setgid", program], as: "alice")
      expectFailure(plain, 1, "only root can install", "sudo")
    }

    @Test func `A mistyped app, a program of another app and one of Coffer change nothing`() throws {
      let scene = try InstalledScene()
      let typo = "com.example.photo.por"
      let other = "/usr/local/apps/Other"
      try scene.system.succeed(["cp", program, other])
      func facts() throws -> String {
        let files = "/usr/local/bin/coffer \(program) \(other)"
        let script =
          "stat --format '%n %U %G %a' \(files); getent group | grep coffer-; ls \(InstalledScene.folder)/.."
        return try scene.system.succeed(["sh", "-c", script])
      }
      let before = try facts()
      func refusal(_ app: String, _ path: String, _ words: String...) throws {
        let outcome = try scene.sudo("install", app, "--setgid", path)
        #expect(outcome.exitCode != 0, "\(outcome)")
        for word in words { #expect(outcome.errors.contains(word), "\(outcome)") }
        #expect(try facts() == before, "\(app)")
      }
      try refusal(typo, other, "no app \(typo) is registered", "nothing was installed for alice")
      try refusal(typo, program, "is installed as the program of \(bundleID)")
      try refusal("com.example.photo.free", program, "is installed as the program of \(bundleID)")
      try refusal("com.example.photo.free", "/usr/local/bin/coffer", "is a program of Coffer")
      try refusal("coffer.personal", other, "is an app of Coffer itself")
      expectFailure(try scene.sudo("reinstall", typo), 3, "\(typo) is not installed")
      expectFailure(try scene.sudo("uninstall", typo), 3, "\(typo) is not installed")
      #expect(try facts() == before)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `Uninstalling an app whose record names the program of another one leaves that program alone`() throws {
      let scene = try InstalledScene()
      let typo = "com.example.photo.por"
      let group = try scene.group()
      // As an earlier version has left it.
      let id = try scene.system.succeed([
        "sh", "-c", "groupadd --system coffer-typo && getent group coffer-typo | cut -d: -f3",
      ])
      let number = try scene.system.succeed(["sh", "-c", "getent group \(group) | cut -d: -f3"])
      let folder = "/var/lib/coffer/apps/\(typo)"
      let change = "s/\(group)/coffer-typo/; s/:\(number)\\b/:\(id)/"
      try scene.system.succeed(["mkdir", folder])
      try scene.system.succeed([
        "sh", "-c", "sed '\(change)' \(InstalledScene.folder)/program > \(folder)/program",
      ])
      #expect(try scene.sudo("reinstall", typo).errors.contains("is installed as the program of \(bundleID)"))
      #expect(try scene.sudo("uninstall", typo, "--all").exitCode == 0)
      #expect(try scene.system.run(["getent", "group", "coffer-typo"]).exitCode == 2)
      #expect(try scene.group() == group)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `The group of another app is refused by name and by number, and uninstalling one app leaves it`() throws
    {
      let scene = try InstalledScene()
      let twin = "com.example.photo.twin"
      let folder = "/var/lib/coffer/apps/\(twin)"
      let group = try scene.group()
      try scene.system.succeed(["mkdir", folder])
      // As an earlier version has left it; the first time, with the number of the group only.
      for change in ["s/PhotoPro/Other/; s/\(group)/coffer-other/", "s/PhotoPro/Other/"] {
        try scene.system.succeed([
          "sh", "-c", "sed '\(change)' \(InstalledScene.folder)/program > \(folder)/program",
        ])
        let words = ["is that of \(twin)", "sudo coffer app uninstall \(twin) --all"]
        expectFailure(try scene.sudo("reinstall", bundleID), 6, words[0], words[1])
        expectFailure(try scene.sudo("install", bundleID, "--setgid", program), 6, words[0], words[1])
        #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
      }
      #expect(try scene.sudo("uninstall", twin, "--all").exitCode == 0)
      #expect(try scene.system.succeed(["stat", "--format", "%G %a", program]) == "\(group) 2755")
      #expect(try scene.sudo("reinstall", bundleID).exitCode == 0)
      #expect(try scene.system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }

    @Test func `What the app has put beside a credential does not keep root from uninstalling it`() throws {
      let scene = try InstalledScene()
      let keys = try URL(fileURLWithPath: scene.credential()).deletingLastPathComponent().path
      // As another user who has taken over the app's process.
      let group = try scene.group()
      let makeFiles = "mkdir -p '\(keys)/a/b' && ln -s /usr/local/victim '\(keys)/a/link' && touch '\(keys)/a/b/file'"
      try scene.system.succeed(["sh", "-c", "echo root > /usr/local/victim"])
      try scene.system.succeed(
        ["setpriv", "--reuid", "nobody", "--regid", group, "--clear-groups", "sh", "-c", makeFiles])
      #expect(try scene.sudo("uninstall", bundleID).exitCode == 0)
      #expect(try scene.system.run(["test", "-e", InstalledScene.folder]).exitCode == 1)
      #expect(try scene.system.succeed(["cat", "/usr/local/victim"]) == "root")
    }

    @Test func `A program that cannot be changed keeps its group and its record until uninstalling succeeds`() throws {
      let scene = try InstalledScene()
      let group = try scene.group()
      try scene.system.succeed(["mount", "-o", "remount,bind,ro", "/usr/local"])
      for _ in 1...2 {
        expectFailure(try scene.sudo("uninstall", bundleID), 1, program, "keeps its group \(group)", "chmod g-s")
        #expect(try scene.system.run(["getent", "group", group]).exitCode == 0)
        #expect(try scene.system.run(["test", "-e", "\(InstalledScene.folder)/program"]).exitCode == 0)
      }
      try scene.system.succeed(["mount", "-o", "remount,bind,rw", "/usr/local"])
      #expect(try scene.sudo("uninstall", bundleID).exitCode == 0)
      #expect(try scene.system.succeed(["stat", "--format", "%U %G %a", program]) == "root root 755")
      #expect(try scene.system.run(["getent", "group", group]).exitCode == 2)
    }

    @Test func `Uninstalling goes on after an interruption in which the group was already deleted`() throws {
      let scene = try InstalledScene()
      try scene.system.succeed(["groupdel", try scene.group()])
      #expect(try scene.sudo("uninstall", bundleID).exitCode == 0)
      #expect(try scene.system.run(["test", "-e", InstalledScene.folder]).exitCode == 1)
      #expect(try scene.system.succeed(["stat", "--format", "%U %G %a", program]) == "root root 755")
    }
  }
#endif
