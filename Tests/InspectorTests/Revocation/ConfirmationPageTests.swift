import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Who signed the entries of the log, and which machines know of a removal.
@Suite struct ConfirmationPageTests {
  private let items: InspectedItems
  private let desktop: Machine

  init() throws {
    items = try InspectedItems { app in
      try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: "jane"))
    }
    desktop = try items.addMachine(named: "<i>desktop</i>")
  }

  private func machinePage(_ name: String) throws -> String {
    try items.get("/machines/\(items.machineID(of: name))").text
  }

  @Test func `A machine's page says whether it knows the last removal, and since when it does not`() throws {
    let label = "<dt>Last removal confirmed</dt>"
    #expect(!(try items.get("/machines").text.contains(label)))
    try items.machine.coffer("app", "remove", "com.example.mail", "--yes")
    try items.machine.coffer("sync")
    let waiting = try machinePage("<i>desktop</i>")
    #expect(waiting.contains("\(label)<dd>no: not that of <time ") && waiting.contains("Has not confirmed a removal"))
    #expect(waiting.contains("by <bdi>the owner on laptop</bdi>, <a href=\"/log?before="))
    #expect(waiting.contains("<code>coffer sync</code> on it"))
    #expect(!(try machinePage("laptop").contains(label)))
    let list = try items.get("/machines").text
    #expect(list.components(separatedBy: label).count == 2)
    let overview = try items.get("/").text
    #expect(overview.contains("The machine &lt;i&gt;desktop&lt;/i&gt; has not synced since somebody was removed"))
    for page in [waiting, list, overview] { #expect(!page.contains("<i>")) }

    try desktop.coffer("sync")
    try items.machine.coffer("sync")
    let confirmed = try machinePage("<i>desktop</i>")
    #expect(confirmed.contains("\(label)<dd>yes: that of <time ") && !confirmed.contains("Has not confirmed"))
    #expect(!(try items.get("/").text.contains("has not synced since somebody was removed")))
  }

  @Test func `Each entry of the log names its signer, with a link to the machine of an owner`() throws {
    let plist = entitlementsPlist("com.example.other", groups: ["~com.example.other"])
    try desktop.coffer("app", "add", desktop.directory.write("other.plist", plist))
    for machine in [desktop, items.machine] { try machine.coffer("sync") }
    let entries = try items.get("/log").text.components(separatedBy: "id=\"entry-").dropFirst()
    func signer(ofEntryThat words: String) throws -> String {
      let entry = try #require(entries.first { $0.contains(words) }, "\(words)")
      return String(try #require(entry.firstMatch(of: /<dt>Signed by<\/dt><dd>(.*?)<\/dd>/)).1)
    }
    #expect(entries.allSatisfy { $0.contains("<dt>Signed by</dt>") })
    #expect(try signer(ofEntryThat: "enrolled the machine laptop") == "<bdi>the vault key</bdi>")
    for (machine, app) in [("laptop", "com.example.mail"), ("<i>desktop</i>", "com.example.other")] {
      let name = machine.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      let address = try "/machines/\(items.machineID(of: machine))"
      #expect(
        try signer(ofEntryThat: "registered the app \(app)")
          == "<a href=\"\(address)\"><bdi>the owner on \(name)</bdi></a>")
      #expect(try items.get(address).status == 200)
    }
  }
}
