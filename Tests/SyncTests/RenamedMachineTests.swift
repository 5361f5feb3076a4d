import CofferTestSupport
import Foundation
import Testing

/// Machines that `coffer device rename` gives another name.
@Suite struct RenamedMachineTests {
  private func names(on machine: Machine, _ options: String...) throws -> Set<String> {
    let rows = try JSONSerialization.jsonObject(
      with: Data(machine.succeed("coffer", ["device", "list", "--json"] + options).utf8))
    return Set((rows as? [[String: Any]] ?? []).compactMap { $0["name"] as? String })
  }

  private func rename(_ name: String, _ newName: String, on machine: Machine) throws -> Machine.Outcome {
    try machine.run("coffer", "device", "rename", name, newName)
  }

  @Test func `Every machine shows a new name after a sync, also for what was written before, and so does a clone`()
    throws
  {
    let suite = try TwoMachines()
    try suite.desktop.set("a", "1")
    try suite.desktop.sync()
    let outcome = try rename("desktop", "workshop", on: suite.laptop)
    #expect(outcome.exitCode == 0 && outcome.text == "desktop is now named workshop.", "\(outcome)")
    // It is published at once.
    let clone = try Machine()
    try clone.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try names(on: suite.desktop) == ["laptop", "desktop"])
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop, clone] {
      #expect(try names(on: machine) == ["laptop", "workshop", "third"])
      let status = try machine.coffer("status")
      #expect(status.contains("workshop") && !status.contains("desktop"), "\(status)")
      // The facts that the inspector shows.
      let graph = try machine.coffer("graph", "--json")
      #expect(graph.contains("workshop") && !graph.contains("desktop"), "\(graph)")
      let log = try machine.coffer("log")
      #expect(log.contains("renamed the machine desktop to workshop"), "\(log)")
      #expect(try machine.coffer("log", "--verify").contains("Verified"))
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    for machine in [suite.laptop, suite.desktop] {
      let history = try machine.coffer("history", "service", "a", "--app", app)
      #expect(history.contains("workshop") && !history.contains("desktop"), "\(history)")
    }
    let phrases = try [suite.laptop, suite.desktop, clone].map { try $0.status("headPhrase") }
    #expect(Set(phrases).count == 1)
    // The machine itself goes on, and what it signs is listed under the new name.
    #expect(try suite.desktop.addApp("later").exitCode == 0)
    #expect(
      try suite.desktop.coffer("log", "--signed-by", "workshop", "--kind", "app").contains("the owner on workshop"))
  }

  @Test func `A machine renames itself, by a part of its identifier too, and the JSON has both names`() throws {
    let suite = try TwoMachines()
    #expect(try rename("desktop", "office", on: suite.desktop).exitCode == 0)
    let text = try suite.desktop.coffer("device", "rename", "office", "Büro 2", "--json")
    let report = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
    #expect(Set(report.keys) == ["name", "formerName", "machineID"])
    #expect(report["name"] == "Büro 2" && report["formerName"] == "office")
    let id = try #require(report["machineID"])
    #expect(try rename(String(id.prefix(8)), "attic", on: suite.laptop).exitCode == 0)
    #expect(try names(on: suite.laptop) == ["laptop", "attic"])
  }

  @Test func `A name that is unknown, in use, the same or invalid is refused, and nothing is signed`() throws {
    let suite = try TwoMachines()
    let length = try suite.laptop.status("logLength")
    let cases: [(String, String, Int32, String)] = [
      ("tablet", "x", 3, "no machine of this vault is named tablet"),
      ("tablet", "x", 3, "receive later ones with: coffer sync"),
      ("desktop", "laptop", 2, "another machine of this vault ("), ("desktop", "desktop", 2, "already has this name"),
      ("desktop", "", 2, "the new name is empty"), ("desktop", "a\nb", 2, "control characters"),
      ("desktop", "a\u{2028}b", 2, "line separators"),
      ("desktop", String(repeating: "é", count: 65), 2, "longer than 128 bytes"),
    ]
    for (name, newName, code, words) in cases {
      let outcome = try rename(name, newName, on: suite.laptop)
      #expect(outcome.exitCode == code && outcome.errors.contains(words) && outcome.output.isEmpty, "\(outcome)")
    }
    #expect(try suite.laptop.status("logLength") == length)
    // Without a remote, a sync brings no machine.
    let alone = try Machine()
    try alone.makeVault()
    let outcome = try rename("tablet", "x", on: alone)
    #expect(outcome.exitCode == 3 && !outcome.errors.contains("coffer sync"), "\(outcome)")
  }

  @Test func `A member is told where to rename a machine`() throws {
    let suite = try MemberMachines()
    let outcome = try rename("ci", "build server", on: suite.member)
    let advice =
      "only an admin may do this; on desktop or laptop, run: coffer device rename ci 'build server'"
    #expect(outcome.exitCode == 4 && outcome.errors.contains(advice), "\(outcome)")
    #expect(try rename("ci", "build server", on: suite.laptop).exitCode == 0)
    try suite.sync(suite.member)
    #expect(try names(on: suite.member) == ["laptop", "desktop", "build server"])
    try suite.member.set("after", "1")
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.get("after") == "1")
  }

  @Test func `A machine is removed by its new name, renames nothing then, and its name is free again`() throws {
    let suite = try TwoMachines()
    #expect(try rename("desktop", "workshop", on: suite.laptop).exitCode == 0)
    try suite.desktop.sync()
    try suite.laptop.coffer("device", "revoke", "workshop", "--vault-key-file", suite.key, "--yes")
    let late = try rename("laptop", "late name", on: suite.desktop)
    #expect(late.exitCode == 4 && late.output.isEmpty, "\(late)")
    #expect(try suite.laptop.coffer("sync").contains("late name") == false)
    let gone = try rename("workshop", "x", on: suite.laptop)
    #expect(gone.exitCode == 3 && gone.errors.contains("workshop"), "\(gone)")
    #expect(try rename("laptop", "workshop", on: suite.laptop).exitCode == 0)
    #expect(try names(on: suite.laptop) == ["workshop"])
  }
}
