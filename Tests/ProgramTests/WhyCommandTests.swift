import CofferTestSupport
import Foundation
import Testing

@Suite struct WhyCommandTests {
  private struct Explanation: Decodable {
    struct Link: Decodable {
      let kind: String
      let state: String
      let sentence: String
      let advice: String?
    }
    let app: String
    let group: String
    let machine: String
    let canRead: Bool
    let canWrite: Bool
    let links: [Link]

    var end: Link? { links.first { $0.state == "ends" } }
  }

  private static let free = "com.example.photo.free"
  private static let pro = "com.example.photo.pro"
  private static let purchases = "com.example.photo.purchases"
  private let machine: Machine

  init() throws { machine = try Machine.withExamples() }

  /// Runs the command with `--json`, and expects the exit code that its answer has.
  private func explain(_ arguments: String...) throws -> [Explanation] {
    let outcome = try machine.start("coffer", ["why"] + arguments + ["--json"]).wait()
    let found = try JSONDecoder().decode([Explanation].self, from: outcome.output)
    #expect(outcome.exitCode == (found.allSatisfy(\.canRead) ? 0 : 4) && outcome.errors.isEmpty, "\(outcome)")
    return found
  }

  @Test func `why prints a line for each group of an app, and exits with 0 if it can read all of them`() throws {
    let outcome = try machine.run("coffer", "why", Self.free)
    let team = try machine.team()
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.text == """
        [ok]    \(team).com.example.photo.free       read and write
        [ok]    \(team).com.example.photo.purchases  read only
        """)
    let found = try explain(Self.free)
    #expect(found.map(\.group) == ["free", "purchases"].map { "\(team).com.example.photo.\($0)" })
    #expect(found.map(\.canWrite) == [true, false] && found.allSatisfy { $0.machine == "laptop" })
  }

  @Test func `A group that the app may only read has five links that hold, each with a mark, in a pipe`() throws {
    let outcome = try machine.run("coffer", "why", Self.free, Self.purchases)
    #expect(outcome.exitCode == 0 && outcome.text.contains("but not write it"))
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("[ok]  ") } == 5 && !outcome.text.contains("\u{1B}"))
    #expect(outcome.text.contains("under coffer-read-only-access-groups, which gives read access"))
    let found = try #require(try explain(Self.free, Self.purchases).first)
    #expect(found.links.map(\.kind) == ["plist", "registration", "principal", "groupKey", "record"])
  }

  @Test func `Access ends at the plist for a group that it does not list, and what follows is not reached`() throws {
    let outcome = try machine.run("coffer", "why", Self.free, Self.pro)
    #expect(outcome.exitCode == 4 && outcome.errors.isEmpty)
    #expect(outcome.text.contains("Access ends at: Entitlements plist."))
    #expect(outcome.text.contains("[ends]  Entitlements plist") && outcome.text.contains("-> Add the group"))
    #expect(outcome.text.ranges(of: ": not reached").count == 4)
    let unknown = try #require(try explain("com.example.\u{202E}none", "com.example.x").first)
    #expect(unknown.end?.kind == "plist" && unknown.end?.advice?.contains("coffer sync") == true)
    expectFailure(try machine.run("coffer", "why", "com.example.none"), 4, "registered are")
  }

  @Test func `A plist that is missing, of another app, or lists less or more than the registration ends access`() throws
  {
    func end(_ plist: String, group: String = Self.purchases) throws -> Explanation.Link {
      try #require(try explain(Self.free, group, "--entitlements", plist).first?.end)
    }
    let registered = Machine.entitlements(of: "PhotoFree")
    #expect(try explain(Self.free, Self.purchases, "--entitlements", registered)[0].canRead)

    let missing = try end(machine.directory.path("none.entitlements"))
    #expect(missing.kind == "plist" && missing.sentence.hasPrefix("There are no entitlements at "))
    let garbage = try end(machine.directory.write("garbage.entitlements", "garbage"))
    #expect(garbage.kind == "plist" && garbage.sentence.contains("garbage.entitlements"))
    let other = try end(Machine.entitlements(of: "PhotoPro"))
    #expect(other.kind == "plist" && other.sentence.contains("com.example.photo.pro, not of"))
    let less = try end(machine.plist(Self.free, groups: [], as: "Less"))
    #expect(less.kind == "plist" && less.sentence.contains("does not list"))

    // A program that presents this plist cannot open the vault at all.
    let edited = try machine.plist(Self.free, groups: ["~\(Self.purchases)"], as: "Edited")
    let more = try end(edited)
    #expect(more.kind == "registration" && more.sentence.contains("is registered for this app as read-only"))
    #expect(more.advice?.contains("coffer app add FILE") == true)
    let added = try machine.plist(
      Self.free, groups: ["~com.example.new"], readOnly: ["~\(Self.purchases)"], as: "Added")
    let found = try explain(Self.free, "--entitlements", added)
    #expect(found.count == 3 && found.allSatisfy { $0.end?.kind == "registration" })
    #expect(found.last?.group.hasSuffix(".com.example.new") == true)
    let run = try machine.start("PhotoFree", [], environment: ["COFFER_ENTITLEMENTS": edited]).wait()
    // PhotoFree presents the plist that is embedded in it, which the variable does not replace.
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
  }

  @Test func `An app that is not registered, but presents a plist, ends at the registration`() throws {
    let plist = try machine.plist("com.example.new", groups: ["~com.example.shared"], as: "New")
    let found = try explain("com.example.new", "--entitlements", plist)
    #expect(found.count == 2 && found.allSatisfy { $0.end?.kind == "registration" })
    #expect(found[0].links[0].sentence.contains("which gives read and write access"))
    try machine.coffer("app", "add", plist)
    #expect(try explain("com.example.new", "--entitlements", plist).allSatisfy(\.canRead))
  }

  @Test func `A missing and a damaged credential end access at the keys of the app, with the command that helps`()
    throws
  {
    let credential = try machine.credential(of: Self.free)
    try Data("damaged".utf8).write(to: credential)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credential.path)
    #expect(try explain(Self.free).allSatisfy { $0.end?.kind == "principal" })
    try FileManager.default.removeItem(at: credential)
    let outcome = try machine.run("coffer", "why", Self.free)
    #expect(outcome.exitCode == 4)
    #expect(
      outcome.text.ranges(
        of: "Keys of the app on this machine: Give it a credential with: coffer app install \(Self.free)"
      ).count == 2)
    try machine.coffer("app", "install", Self.free)
    #expect(try machine.run("coffer", "why", Self.free).exitCode == 0)
  }

  @Test func `An item is explained by its record, and one of another group by the plist that does not list it`() throws
  {
    try machine.coffer("set", "service", "own", "--app", Self.pro, input: "v")
    try machine.coffer("set", "service", "shared", "--app", Self.pro, "--group", Self.purchases, input: "v")
    let shared = try explain(Self.free, "service", "shared")
    #expect(shared.count == 1 && shared[0].canRead && !shared[0].canWrite)
    #expect(shared[0].links[4].sentence.contains("com.example.photo.pro on laptop wrote it"))
    let other = try explain(Self.free, "service", "own")
    #expect(other.count == 1 && other[0].end?.kind == "plist" && other[0].group.hasSuffix(Self.pro))
    #expect(try explain(Self.pro, "service", "own")[0].canWrite)
    expectFailure(try machine.run("coffer", "why", Self.free, "service", "none"), 3, "coffer list")
    expectFailure(try machine.run("coffer", "why", "com.example.none", "service", "own"), 4, "registered are")
    expectFailure(
      try machine.run("coffer", "why", Self.free, "service", "own", "--group", Self.purchases), 3, "--group")
  }

  @Test func `Only an item that the app itself does not find needs the passphrase`() throws {
    let passphrase = try machine.directory.write("passphrase", "a passphrase")
    try machine.coffer("set", "service", "own", "--app", Self.pro, input: "v")
    try machine.coffer("passphrase", "set", "--new-passphrase-file", passphrase)
    #expect(try explain(Self.pro).allSatisfy(\.canRead))
    #expect(try explain(Self.pro, "service", "own")[0].canRead)
    expectFailure(try machine.run("coffer", "why", Self.free, "service", "own"), 5, "--passphrase-file")
    let found = try explain(Self.free, "service", "own", "--passphrase-file", passphrase)
    #expect(found[0].end?.kind == "plist")
  }

  @Test(arguments: [
    ["a", "b", "c", "d"], ["a", "b", "--group", "c"], ["a", "b", "c", "--entitlements", "d"],
  ])
  func `Arguments that exclude each other are incorrect usage`(arguments: [String]) throws {
    expectFailure(try machine.start("coffer", ["why"] + arguments).wait(), 2, "see: coffer why --help")
  }
}
