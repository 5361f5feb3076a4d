import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// An admin that has made the keys of apps on other machines, and keeps them.
@Suite struct KnownKeyTests {
  private struct Report: Decodable {
    struct App: Decodable {
      let id: String
      let machine: String
      let machineID: String
    }
    struct Machine: Decodable {
      let name: String
      let machineID: String
    }
    let deliveredApps: [App]
    let enrolledMachines: [Machine]
  }

  private let suite: MemberMachines
  /// Keys of the example app on the member that the desktop's admin has chosen.
  private let chosen = PartyKeys.random()

  init() throws { suite = try MemberMachines() }

  private func id(of bundleID: String) throws -> String {
    try suite.laptop.local.application(named: bundleID).description
  }

  private func machine(_ name: String) throws -> DeviceID { try suite.laptop.local.memberMachine(named: name) }

  /// Publishes an entry by the desktop's admin that no command writes.
  private func publish(_ statement: Statement) throws {
    try suite.sync(suite.desktop)
    try suite.remote.put(
      suite.desktop.sealEntry(statement, after: suite.desktop.local.membership().head))
    try suite.sync(suite.desktop, suite.laptop)
  }

  private func chooseKeys() throws {
    let membership = try suite.laptop.local.membership()
    let registered = try #require(membership.apps[suite.laptop.local.application(named: app)])
    try publish(
      .principal(
        PrincipalStatement(app: registered.registration, device: machine("ci"), keys: chosen.publicKeys)))
  }

  private func enrolMachine() throws {
    try publish(
      .device(
        DeviceStatement(
          keys: PartyKeys.random().publicKeys, adminKeys: nil, deliveryKey: AgreementKey.random().publicKey,
          name: "planted")))
  }

  @Test(arguments: [["admin", "remove"], ["device", "revoke"]])
  func `With an admin, the apps lose their rights whose keys it made on other machines`(command: [String]) throws {
    let other = MemberMachines.other
    try suite.desktop.coffer("app", "install", other, "--on", "ci")
    try suite.member.coffer("app", "install", other)
    try chooseKeys()
    try enrolMachine()
    try suite.sync(suite.member)
    let before = try suite.laptop.local.membership()
    let delivered = try #require(
      before.delivered(suite.laptop.local.application(named: other), to: machine("ci")).first)
    let known = [delivered.id, AuthorID(vault: before.vault, keys: chosen.publicKeys)]
    let (pro, free) = (try id(of: app), try id(of: other))

    let arguments = command + ["desktop", "--vault-key-file", suite.key]
    let asked = try suite.laptop.start("coffer", arguments).wait()
    let list = [free, pro].map { "\($0) on ci" }.joined(separator: ", ")
    #expect(asked.exitCode == 2, "\(asked)")
    for line in [
      "Apps whose keys this admin made, which lose their rights there: \(list)\n",
      "Machines that it enrolled and that stay: planted; remove them too if you do not know them.",
    ] {
      #expect(asked.errors.contains(line), "\(asked)")
    }
    #expect(try suite.laptop.local.membership().head == before.head)

    let removal = try suite.laptop.start("coffer", arguments + ["--yes", "--json"]).wait()
    #expect(removal.exitCode == 0, "\(removal)")
    let report = try JSONDecoder().decode(Report.self, from: Data(removal.output))
    #expect(report.deliveredApps.map(\.id) == [free, pro] && report.deliveredApps.allSatisfy { $0.machine == "ci" })
    #expect(try report.deliveredApps.first?.machineID == machine("ci").description)
    #expect(try report.enrolledMachines.map(\.machineID) == [machine("planted").description])
    #expect(report.enrolledMachines.map(\.name) == ["planted"])
    let again = "coffer app install \(free)"
    #expect(
      removal.errors.contains(
        "To give \(free) on ci its rights again, run on an admin: \(again) --on ci; then on ci: \(again)"),
      "\(removal)")

    // It gets no key any more under any name, and signs nothing.
    let after = try suite.laptop.local.membership()
    for author in known {
      #expect(after.authors[author]?.cut != nil)
      for group in after.groups.values { #expect(group.generations.last?.boxes[author] == nil, "\(group.name)") }
    }
    // The keys that root has made stay with the member.
    try suite.laptop.set("after", "value")
    try suite.sync(suite.laptop, suite.member)
    #expect(try suite.member.get("after") == "value")

    let refused = try suite.member.run("coffer", "get", "service", "x", "--app", other)
    #expect(
      refused.exitCode == 4
        && refused.errors.contains("this machine, because desktop, whose admin was removed, had made its keys")
        && refused.errors.contains("on laptop, run: \(again) --on ci; then here: \(again)"), "\(refused)")
    try suite.laptop.coffer("app", "install", free, "--on", "ci")
    try suite.member.coffer("app", "install", free)
    try suite.member.coffer("set", "service", "again", "--app", other, input: "value")
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.coffer("get", "service", "again", "--app", other) == "value")
  }

  @Test func `A removal that was shown is refused if the admin has made keys or enrolled a machine since`() throws {
    let machine = try machine("desktop")
    func removal() throws -> Removal { Removal(of: .admin(machine), from: try suite.laptop.local) }
    func words(since shown: RemovalPreview) throws -> String? {
      let error = #expect(throws: VaultError.self) {
        try removal().run(as: .admin(.unavailable), accepting: shown)
      }
      return error?.message
    }
    let first = try removal().preview()
    #expect(first.deliveredApps.isEmpty && first.enrolledMachines.isEmpty)
    try chooseKeys()
    let ended = "it would also end the rights of \(try id(of: app)) on ci"
    #expect(try words(since: first)?.hasSuffix(ended) == true)
    let second = try removal().preview()
    try enrolMachine()
    #expect(try words(since: second)?.hasSuffix("also leave planted, which the removed admin enrolled") == true)
    #expect(try Set([first, second, removal().preview()].map(\.scope)).count == 3)
  }
}
