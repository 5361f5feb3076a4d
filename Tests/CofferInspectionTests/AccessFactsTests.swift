import Coffer
import CofferAdministration
import CofferInspection
import CofferStore
import CofferVault
import Foundation
import Testing

@Suite struct AccessFactsTests {
  private let fixture: TemporaryVault
  private let prefix: String
  private let one: Vault

  init() throws {
    fixture = try TemporaryVault()
    prefix = try fixture.prefix
    one = try fixture.app("com.example.one", groups: ["~com.example.main", "~com.example.shared"])
    try fixture.app("com.example.reader", readOnly: ["~com.example.shared"])
  }

  private func facts() throws -> AccessFacts { try AccessFacts.read(from: fixture.local) }

  @Test func `An app has its rights with the key of the plist that gives each, and the default group`() throws {
    let app = try #require(try facts().app(prefix + "com.example.one"))
    #expect(app.bundleID == "com.example.one" && app.registeredBy == "the owner on laptop" && !app.isUnpublished)
    #expect(app.rights.map(\.group) == ["main", "shared", "one"].map { "\(prefix)com.example.\($0)" })
    #expect(
      app.rights.map(\.plistKey) == ["keychain-access-groups", "keychain-access-groups", "application-identifier"])
    #expect(app.rights.map(\.isDefault) == [true, false, false] && app.rights.allSatisfy(\.isWritable))
    let reader = try #require(try facts().app(prefix + "com.example.reader"))
    let shared = try #require(reader.rights.first { $0.group == prefix + "com.example.shared" })
    #expect(!shared.isWritable && shared.plistKey == "coffer-read-only-access-groups")
    #expect(try facts().app("com.example.none") == nil && facts().apps.count == 2)
  }

  @Test func `An app's evidence is an open file, a sealed one, none, or one that does not work`() throws {
    func evidence(_ name: String) throws -> AppEvidence {
      try #require(try facts().apps.first { $0.bundleID == name }).evidence
    }
    #expect(try evidence("com.example.one").protection == .open)
    #expect(try evidence("com.example.one").sentence.contains("every process of this user can read"))
    try fixture.register("com.example.absent", isInstalled: false)
    #expect(try evidence("com.example.absent").protection == .absent)
    #expect(
      try evidence("com.example.absent").advice == "Give it a credential with: coffer app install com.example.absent")
    let file = try fixture.local.folder.credentialFile(of: fixture.local.application(named: "com.example.reader"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    #expect(try evidence("com.example.reader").protection == .unusable)
    #expect(try evidence("com.example.reader").advice?.contains("chmod 600") == true)
  }

  @Test func `A binary plist is shown as XML, and an XML one byte for byte`() throws {
    let plist = ["application-identifier": "$(AppIdentifierPrefix)com.example.binary"]
    let binary = try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
    let text = PropertyListText([UInt8](binary))
    #expect(text.isConverted && text.text.contains("<string>$(AppIdentifierPrefix)com.example.binary</string>"))
    let app = try #require(try facts().app(prefix + "com.example.one"))
    #expect(!app.plist.isConverted && app.plist.text.hasPrefix("<?xml version=\"1.0\""))
    #expect(PropertyListText(Array("bplist00 damaged".utf8)).text.contains("cannot be read"))
  }

  @Test func `Last writes of apps and machines are those of their records, and deletions are named as such`() throws {
    let name = GenericPassword(service: "service", account: "account")
    let before = try #require(try facts().app(prefix + "com.example.one")?.places.first)
    #expect(before.machine == "laptop" && before.isThisMachine && before.lastWrite == nil && before.recordCount == 0)
    try one.set("v", for: name)
    try one.delete(name)
    let after = try #require(try facts().app(prefix + "com.example.one")?.places.first)
    #expect(after.recordCount == 2 && after.lastWrite.map { abs($0.timeIntervalSinceNow) < 3600 } == true)
    let laptop = try #require(try facts().machines.first)
    #expect(laptop.lastSign?.what == "com.example.one deleted an item from \(prefix)com.example.main")
    #expect(laptop.recordCount == 2 && laptop.apps.map(\.bundleID) == ["com.example.one", "com.example.reader"])
    let quick = try AccessFacts.read(from: fixture.local, withActivity: false)
    #expect(quick.machines.first?.recordCount == 0)
  }

  @Test func `Machines are listed with who enrolled them, their last sign of life, and what their keys open`() throws {
    try fixture.enrol("desktop")
    try one.set("v", for: GenericPassword(service: "service", account: "account"))
    let machines = try facts().machines
    #expect(machines.map(\.name) == ["laptop", "desktop"] && machines.map(\.isThisMachine) == [true, false])
    #expect(machines.allSatisfy { $0.isAdmin && $0.enrolledBy == "the vault key" })
    let entries = try LogPage.read(from: fixture.local).lines
    let desktop = machines[1]
    #expect(
      entries.first { $0.number == desktop.enrolmentEntry }?.action.hasPrefix("enrolled the machine desktop") == true)
    let last = try #require(entries.first { $0.signer == "the owner on desktop" })
    #expect(desktop.lastSign?.what == "the owner signed entry \(last.number) of the membership log")
    #expect(desktop.reach.groups.count == 4 && desktop.reach.apps.count == 2 && desktop.reach.itemCount == 1)
    #expect(
      desktop.reach.sentences[0]
        == "Its keys open 4 access groups with 1 item, for 2 apps and for the owner, who reads and writes every group and may change the membership."
    )
    #expect(try facts().machine(desktop.id) == desktop && facts().machine("none") == nil)
  }

  @Test func `The graph has a row for each owner and each app on each machine, with the right that has a key`() throws {
    try fixture.enrol("desktop")
    try fixture.register("com.example.late", groups: ["~com.example.shared"], isInstalled: true)
    let graph = try facts().graph
    #expect(graph.groups.map(\.name) == ["late", "main", "one", "reader", "shared"].map { "com.example.\($0)" })
    func row(_ app: String?, _ machine: String) throws -> [AccessGraph.Access] {
      try #require(
        graph.rows.first {
          $0.app.map { graph.apps[$0].name } == app && graph.machines[$0.machine].name == machine
        }
      ).cells
    }
    #expect(graph.rows.count == 2 + 3 * 2)
    #expect(try row(nil, "desktop") == Array(repeating: .readWrite, count: 5))
    #expect(try row("com.example.one", "desktop") == [.none, .readWrite, .readWrite, .none, .readWrite])
    #expect(try row("com.example.reader", "laptop") == [.none, .none, .none, .readWrite, .read])
    // The app was registered after the other machine had joined.
    #expect(try row("com.example.late", "desktop") == [.noKey, .none, .none, .none, .noKey])
  }

  // MARK: Explanations

  private func ends(_ explanation: AccessExplanation) -> AccessExplanation.Link? {
    explanation.links.first { $0.state == .ends }
  }

  @Test func `An app that can read a group has five links that hold, and a group may be named without its team`() throws
  {
    try one.set("v", for: GenericPassword(service: "service", account: "account"), in: "com.example.shared")
    let reading = try facts().explanation(ofApp: "com.example.reader", group: "com.example.shared")
    #expect(reading.links.map(\.kind) == AccessExplanation.Link.Kind.allCases)
    #expect(reading.links.allSatisfy { $0.state == .holds } && reading.canRead && !reading.canWrite)
    #expect(
      reading.conclusion
        == "\(prefix)com.example.reader can read \(prefix)com.example.shared on laptop, but not write it.")
    #expect(reading.links[4].sentence == "This machine has 1 item in \(prefix)com.example.shared.")
    let writing = try facts().explanation(ofApp: prefix + "com.example.one", group: prefix + "com.example.main")
    #expect(writing.canWrite && writing.group == reading.group.replacing("shared", with: "main"))
  }

  @Test func `Access ends at the plist of an app that does not list the group, and at that of an unknown app`() throws {
    let other = try facts().explanation(ofApp: "com.example.reader", group: "com.example.main")
    #expect(ends(other)?.kind == .plist && ends(other)?.advice?.contains("coffer app add") == true && !other.canRead)
    #expect(other.links.dropFirst().allSatisfy { $0.state == .notReached && $0.advice == nil })
    #expect(other.conclusion.hasSuffix("Access ends at: Entitlements plist."))
    let unknown = try facts().explanation(ofApp: "com.example.\u{202E}x", group: "no\u{1B}ne")
    #expect(ends(unknown)?.kind == .plist && unknown.app == "com.example.\\u{202E}x" && unknown.group == "no\\u{1B}ne")
  }

  @Test func `Access ends at a registration that the remote does not have yet`() throws {
    try fixture.publishLog()
    try fixture.set(.remoteURL, Array("/srv/vault.git".utf8))
    try fixture.register("com.example.new", isInstalled: false)
    let explanation = try facts().explanation(ofApp: "com.example.new", group: "com.example.new")
    #expect(ends(explanation)?.kind == .registration && ends(explanation)?.advice == "Publish it with: coffer sync")
    #expect(try facts().apps.first { $0.bundleID == "com.example.new" }?.isUnpublished == true)
  }

  @Test func `Access ends at a missing credential, and at one that does not work`() throws {
    try fixture.register("com.example.absent", isInstalled: false)
    let absent = try facts().explanation(ofApp: "com.example.absent", group: "com.example.absent")
    #expect(
      ends(absent)?.kind == .principal
        && ends(absent)?.advice == "Give it a credential with: coffer app install com.example.absent")
    let file = try fixture.local.folder.credentialFile(of: fixture.local.application(named: "com.example.reader"))
    let other = try fixture.local.folder.credentialFile(of: fixture.local.application(named: "com.example.one"))
    try Data(contentsOf: URL(fileURLWithPath: other.path)).write(to: URL(fileURLWithPath: file.path))
    let foreign = try facts().explanation(ofApp: "com.example.reader", group: "com.example.reader")
    #expect(ends(foreign)?.kind == .principal && ends(foreign)?.sentence.contains("is another app's") == true)
  }

  @Test func `Access ends at a group whose key is not sealed to the app's keys here`() throws {
    try fixture.grantless("com.example.bare")
    let bare = try facts().explanation(ofApp: "com.example.bare", group: "com.example.shared")
    #expect(ends(bare)?.kind == .groupKey && ends(bare)?.advice?.contains("coffer app install") == true)
    let own = try facts().explanation(ofApp: "com.example.bare", group: "com.example.bare")
    #expect(ends(own)?.kind == .groupKey && ends(own)?.sentence.contains("no key of") == true)
    let graph = try facts().graph
    let row = try #require(graph.rows.first { $0.app.map { graph.apps[$0].name } == "com.example.bare" })
    let shared = try #require(graph.groups.firstIndex { $0.name == "com.example.shared" })
    #expect(row.isInstalled && row.cells[shared] == .noKey)
  }

  @Test func `An item's explanation names its writer, and an unknown item is an error`() throws {
    let name = GenericPassword(service: "service", account: "account")
    try one.set("v", for: name, in: "com.example.shared")
    let inspected = try fixture.inspected()
    let item = try #require(try inspected.vault.storedItem(for: name, in: "com.example.shared"))
    let explanation = try inspected.explanation(
      ofApp: "com.example.reader", group: "com.example.shared", item: item.reference)
    let row = try #require(try inspected.items(ItemRequest(group: "com.example.shared")).rows.first)
    #expect(row.reference.persistent == item.reference && ItemReference(item.reference) == row.reference)
    #expect(explanation.links[4].sentence == "The item's record is valid; \(prefix)com.example.one on laptop wrote it.")
    let error = #expect(throws: VaultError.self) {
      try inspected.explanation(ofApp: "com.example.reader", group: "com.example.main", item: item.reference)
    }
    #expect(error?.code == .itemNotFound)
  }

  @Test func `An explanation of a group names the app's refused records there`() throws {
    try fixture.plant(
      fixture.forge("account", in: "com.example.shared", by: "com.example.reader"), validity: .unadmitted)
    let explanation = try facts().explanation(ofApp: "com.example.reader", group: "com.example.shared")
    #expect(explanation.links[4].advice?.hasPrefix("Refused: 1 record by \(prefix)com.example.reader") == true)
  }

}
