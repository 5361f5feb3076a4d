import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// What an import does with items that are there already, and when it is interrupted.
@Suite struct ImportRuleTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private func csv(_ rows: [String]) throws -> String {
    try machine.directory.write("export.csv", (["name,url,username,password"] + rows).joined(separator: "\n") + "\n")
  }

  @Test func `An item that differs is kept, replaced or stored beside, as the option says`() throws {
    _ = try machine.imported("csv", csv(["Site,,jane,first"]))
    let changed = try csv(["Site,,jane,second"])
    let kept = try machine.imported("csv", changed)
    #expect(kept.counts == [0, 0, 0, 1] && kept.skipped.first?.reason.contains("--replace or --keep-both") == true)
    #expect(try machine.coffer("get", "Site", "jane") == "first")
    for counts in [[1, 0, 0, 0], [0, 1, 0, 0]] {
      #expect(try machine.imported("csv", changed, "--keep-both").counts == counts)
      #expect(try machine.coffer("get", "Site", "jane (2)") == "second")
    }
    for counts in [[0, 0, 1, 0], [0, 1, 0, 0]] {
      #expect(try machine.imported("csv", changed, "--replace").counts == counts)
      #expect(try machine.coffer("get", "Site", "jane") == "second")
    }
    #expect(try machine.coffer("history", "Site", "jane").contains("value"))
  }

  @Test func `Deleting the source is advised by its own path, and only if nothing was skipped`() throws {
    let path = try csv(["Site,,jane,first"])
    #expect(try machine.imported("csv", path).advice?.contains("rm \(path.shellWord),") == true)
    #expect(try machine.imported("csv", path, "--dry-run").advice == nil)
    let changed = try csv(["Site,,jane,second"])
    #expect(try machine.imported("csv", changed).advice == nil)
    let outcome = try machine.run("coffer", "import", "csv", changed)
    #expect(outcome.exitCode == 1 && !outcome.text.contains("rm ") && outcome.text.contains("Keep it"), "\(outcome)")
  }

  @Test func `The advice keeps entries in the other program that have what its exports lack`() throws {
    let allLacks = "attachments, further fields, passkeys or a history"
    let login = #"{"id":"i","type":1,"name":"B","login":{"username":"jane","password":"p"}}"#
    let entry = "<Entry><String><Key>Title</Key><Value>K</Value></String></Entry>"
    for (source, name, text, lack) in [
      ("csv", "a.csv", "name,username,password\nA,jane,p\n", allLacks),
      ("keepassxc", "b.csv", "name,username,password\nC,jane,p\n", allLacks),
      ("bitwarden", "b.json", #"{"encrypted":false,"items":[\#(login)]}"#, "attachments"),
      ("keepassxc", "a.xml", "<KeePassFile><Root><Group>\(entry)</Group></Root></KeePassFile>", ""),
    ] {
      let advice = try machine.imported(source, machine.directory.write(name, text)).advice ?? "none"
      let exception = lack.isEmpty ? "" : ", but not those with \(lack): such a file has none"
      #expect(advice.hasSuffix("and then the entries in the other program\(exception)"), "\(source): \(advice)")
    }
  }

  @Test func `Without a group, only the default group is compared and changed`() throws {
    try machine.makeVault()
    try machine.register("PhotoPro")
    let purchases = "com.example.photo.purchases"
    try machine.coffer("set", "Site", "jane", "--group", purchases, input: "other")
    let path = try csv(["Site,,jane,mine"])
    for arguments in [[], ["--app", "com.example.photo.pro"]] {
      let report = try machine.imported(["csv", path, "--replace", "--dry-run"] + arguments)
      #expect(report.counts == [1, 0, 0, 0], "\(arguments)")
    }
    #expect(try machine.imported("csv", path, "--replace", "--app", "com.example.photo.pro").counts == [1, 0, 0, 0])
    #expect(try machine.coffer("get", "Site", "jane", "--group", purchases) == "other")
    #expect(try machine.coffer("get", "Site", "jane", "--group", "com.example.photo.pro") == "mine")
  }

  @Test func `Entries of one source with the same names are all kept, in the same places each time`() throws {
    let path = try csv(["Site,,jane,first", "Site,,jane,second", "Site,,jane,first"])
    let dry = try machine.imported("csv", path, "--dry-run")
    let report = try machine.imported("csv", path)
    #expect(report.counts == dry.counts && report.skipped == dry.skipped && report.entryCount == 3)
    let before = try machine.exportedJSON()
    #expect(try machine.coffer("get", "Site", "jane") == "first")
    #expect(try machine.coffer("get", "Site", "jane (2)") == "second")
    #expect(try machine.imported("csv", path).newCount == 0)
    #expect(try machine.exportedJSON() == before)
  }

  @Test func `An entry never replaces another entry of its source that has the same names`() throws {
    func export(_ items: [(id: String, password: String)]) throws -> String {
      let texts = items.map {
        #"{"id":"\#($0.id)","type":1,"name":"Site","login":{"username":"jane","password":"\#($0.password)"}}"#
      }
      return try machine.directory.write(
        "bitwarden.json", #"{"encrypted":false,"items":[\#(texts.joined(separator: ","))]}"#)
    }
    #expect(try machine.imported("bitwarden", export([("i1", "one"), ("i2", "two")])).counts == [2, 0, 0, 0])
    #expect(try machine.imported("bitwarden", export([("i2", "two")]), "--replace").counts == [0, 1, 0, 0])
    #expect(try machine.imported("bitwarden", export([("i2", "new")]), "--replace").counts == [0, 0, 1, 0])
    #expect(try machine.coffer("get", "Site", "jane") == "one")
    #expect(try machine.coffer("get", "Site", "jane (2)") == "new")
  }

  @Test(arguments: ["", "--dry-run"])
  func `An item that is too long is skipped, also in place of another, and the others are imported`(
    option: String
  ) throws {
    _ = try machine.imported("csv", csv(["Site,,jane,first"]))
    let long = String(repeating: "x", count: (1 << 20) + 1)
    let path = try csv(["Site,,jane,second", "\(long),,jane,third"])
    let report = try machine.imported(["csv", path, "--replace"] + [option].filter { !$0.isEmpty })
    #expect(report.counts == [0, 0, 1, 1])
    #expect(report.skipped.first?.reason.hasPrefix("the attribute") == true)
  }

  @Test func `A folder that only the mapping has is reported`() throws {
    let path = try machine.directory.write(
      "export.csv", "name,username,password,folder\nSite,jane,first,Work/Mail\n")
    let mapping = try machine.directory.write("folders.json", #"{"folders": {"": "", "Work": "", "Wrok": null}}"#)
    let report = try machine.imported("csv", path, "--mapping", mapping, "--dry-run")
    #expect(report.counts == [1, 0, 0, 1] && report.skipped.first?.name == "Wrok")
  }

  @Test func `A folder that a mapping does not name goes where the nearest folder around it goes`() throws {
    let path = try machine.directory.write(
      "export.csv",
      """
      folder,name,password
      ,none,1
      Work,work,2
      Work/Mail/Old,old,3
      Work/Keep/Deep,deep,4
      Workshop,shop,5

      """)
    let mapping = try machine.directory.write("folders.json", #"{"folders": {"Work": null, "Work/Keep": ""}}"#)
    let report = try machine.imported("csv", path, "--mapping", mapping)
    #expect(report.counts == [3, 0, 0, 2])
    for (name, value) in [("none", "1"), ("deep", "4"), ("shop", "5")] {
      #expect(try machine.coffer("get", name) == value)
    }
    try machine.directory.write("folders.json", #"{"folders": []}"#)
    let refused = try machine.run("coffer", "import", "csv", path, "--mapping", mapping)
    #expect(refused.exitCode == 2 && refused.errors.contains("--write-mapping"), "\(refused)")
  }

  @Test func `Folders without a group go to the owner's own one beside those with another, with one passphrase`() throws
  {
    let path = try machine.directory.write("export.csv", "folder,name,password\n,none,1\nWork,work,2\nPrivate,own,3\n")
    let mapping = try machine.directory.write("folders.json", #"{"folders": {"Work": "work", "Private": ""}}"#)
    for passphrase in [nil, "correct horse"] {
      let machine = try Machine()
      let file = try passphrase.map { try machine.makeVault(passphrase: $0) }
      let options = file.map { ["--passphrase-file", $0] } ?? []
      if file == nil { try machine.makeVault() }
      let plist = entitlementsPlist("com.example.app", groups: ["~com.example.app", "~work"])
      let app = try machine.directory.write("App", plist)
      try machine.succeed("coffer", ["app", "add", app] + options)
      let dry = ["import", "csv", path, "--mapping", mapping]
      #expect(try machine.succeed("coffer", dry + ["--dry-run"] + options).contains("3 items would be imported"))
      #expect(try !machine.coffer("group", "list").contains("coffer.personal"))
      if passphrase == nil {
        try machine.succeed("coffer", dry)
      } else {
        let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), dry)
        try terminal.await("Passphrase of laptop (to create coffer.personal): ")
        terminal.type("correct horse\n")
        #expect(terminal.wait() == 0, "\(terminal.screen)")
        #expect(terminal.screen.ranges(of: "Passphrase of").count == 1, "\(terminal.screen)")
      }
      for (name, group) in [("none", "coffer.personal"), ("work", "work"), ("own", "coffer.personal")] {
        #expect(try machine.succeed("coffer", ["get", name, "--group", group] + options).count == 1)
      }
    }
  }

  @Test func `An import that is killed after any transaction is finished by the next one, with nothing twice`() throws {
    let rows = (0..<700).map { "Site \($0),https://\($0 % 350).example,user \($0 % 350),value \($0)" }
    let path = try csv(rows)
    let whole = try Machine()
    _ = try whole.imported("csv", path)
    let expected = try whole.exportedJSON()
    try machine.coffer("set", "other", input: "x")
    try machine.coffer("delete", "other")
    let steps = try machine.copied().steps(of: "coffer", ["import", "csv", path])
    let commits = steps.filter { $0.point == .transactionCommitted || $0.point == .transactionComplete }
    #expect(commits.count >= 8)
    for step in commits {
      let victim = try machine.copied()
      try victim.kill("coffer", ["import", "csv", path], at: step)
      let report = try victim.imported("csv", path)
      #expect(report.newCount + report.sameCount == 700 && report.skipped.isEmpty, "\(step): \(report)")
      #expect(try victim.exportedJSON() == expected, "\(step)")
    }
  }

  @Test func `A path that is missing, no file or of another format is an error that changes nothing`() throws {
    for (arguments, message) in [
      (["csv", machine.directory.path("none")], "No such file or directory"),
      (["csv", machine.directory.path], "is no regular file"),
      (["keepassxc", try machine.directory.write("a.xml", "name,password\n")], "line 1 is no well-formed XML"),
      (["pass", machine.directory.path("none")], "No such file or directory"),
      (["csv"], "name the file or folder of csv"), (["secret-service", "x"], "takes no path"),
      (["csv", "x", "--replace", "--keep-both"], "--replace excludes --keep-both"),
      (["netscape", "x"], "is invalid for '<source>'. Please provide one of the following: "),
    ] {
      let outcome = try machine.start("coffer", ["import", "--dry-run"] + arguments).wait()
      #expect(outcome.exitCode == 2 && outcome.errors.contains(message), "\(arguments): \(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
    // Also without --dry-run, and after entries that could be read.
    let broken = try csv(["Site,https://a.example,jane,p", "Site,https://b.example,joe,\"q"])
    let outcome = try machine.run("coffer", "import", "csv", broken)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("line 3 do not end"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
  }

  @Test func `No name, value or error of an import reaches the arguments of a program`() throws {
    let protected = DocumentationPage.root.appending(path: "Tests/ImportTests/Exports/bitwarden-pbkdf2.json").path
    let password = try machine.directory.write("password", "correct horse\n")
    let report = try machine.imported("bitwarden", protected, "--password-file", password)
    #expect(report.counts == [1, 0, 0, 0])
    #expect(try machine.coffer("get", "Site", "jane") == "from pbkdf2")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password)
    let readable = try machine.run("coffer", "import", "bitwarden", protected, "--password-file", password)
    #expect(readable.exitCode == 2 && readable.errors.contains("password in \(password)"), "\(readable)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password)
    try machine.directory.write("password", "hunter2\n")
    let wrong = try machine.run("coffer", "import", "bitwarden", protected, "--password-file", password)
    #expect(wrong.exitCode == 2 && wrong.errors.contains("password of the export is wrong"), "\(wrong)")
    #expect(!wrong.errors.contains("hunter2") && !wrong.errors.contains("coffer-import"))
  }

  @Test func `The password of a protected export is asked for on the terminal`() throws {
    let protected = DocumentationPage.root.appending(path: "Tests/ImportTests/Exports/bitwarden-pbkdf2.json").path
    let terminal = try PseudoTerminal(machine, "import", "bitwarden", protected)
    try terminal.await("assword of the export: ")
    terminal.type("correct horse\n")
    #expect(terminal.wait() == 0 && terminal.screen.contains("1 item was imported"), "\(terminal.screen)")
    #expect(!terminal.screen.contains("horse"))
  }
}
