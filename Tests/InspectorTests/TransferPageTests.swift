import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Files of other programs in the pages, and the items of a list as a file.
@Suite struct TransferPageTests {
  private static let csv = """
    name,url,username,password,note
    GitHub,https://github.com/login,jane,needle-1,
    Example,,jane,needle-2,needle-note

    """

  private func items() throws -> InspectedItems {
    try InspectedItems { app in try app.add("value-of-it", for: GenericPassword(service: "first", account: "jane")) }
  }

  private func fields(_ items: InspectedItems, _ more: [String: String] = [:]) throws -> [String: String] {
    [
      "group": "\(try items.team).com.example.mail", "rule": "skip", "file-name": "../chrome.csv",
      "file": Self.csv,
    ].merging(more) { $1 }
  }

  @Test func `A file is shown without its values, and stored when the form says so`() throws {
    let items = try items()
    let preview = try items.post("/import", fields(items))
    #expect(preview.status == 200 && preview.text.contains("Store 3 items"), "\(preview)")
    #expect(preview.text.contains("github.com") && !preview.text.contains("needle"))
    #expect(try items.app.list(GenericPassword.self).items.count == 1)
    let stored = try items.post("/import", fields(items, ["store": "1"]))
    #expect(stored.status == 200 && stored.text.contains("3 items were imported."), "\(stored)")
    let name = InternetPassword(server: "github.com", account: "jane", protocol: .https, path: "/login")
    #expect(try items.app.string(for: name) == "needle-1")
    // A second time, everything is there.
    let again = try items.post("/import", fields(items)).text
    #expect(again.contains("0 to store, 3 there already, 0 left out") && !again.contains("data-store"))
  }

  @Test func `The parts of a form with a file are stored at once, as a page without scripts sends them`() throws {
    let items = try items()
    let fields = try fields(items, ["store": "1", "csrf": items.session.csrf])
    let parts = fields.filter { $0.key != "file-name" }.map { name, value in
      let file = name == "file" ? "; filename=\"chrome.csv\"\r\nContent-Type: text/csv" : ""
      return "--x1\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n\(value)\r\n"
    }
    let stored = try items.inspector.send(
      "POST", "/import", ["Content-Type": "multipart/form-data; boundary=x1"], form: parts.joined() + "--x1--\r\n",
      as: items.session)
    #expect(stored.status == 200 && stored.text.contains("3 items were imported."), "\(stored)")
    let cut = try items.inspector.send(
      "POST", "/import", ["Content-Type": "multipart/form-data; boundary=x1"], form: parts.joined(), as: items.session)
    #expect(cut.status == 415, "\(cut)")
  }

  @Test func `An export with a certificate in a note is read as an export`() throws {
    let items = try items()
    let note = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
    let file = Self.csv + "server.example.com,,root,needle-3,\"\(note)\"\n"
    let preview = try items.post("/import", fields(items, ["file": file]))
    #expect(preview.status == 200 && preview.text.contains("server.example.com"), "\(preview)")
  }

  @Test func `A file that cannot be read changes nothing, and the page says why`() throws {
    let items = try items()
    let refused = try items.post("/import", fields(items, ["file": "{\"no\": 1}"]))
    #expect(refused.status == 422 && refused.text.contains("The file was not read."), "\(refused)")
    for wrong in [["group": "none"], ["rule": "x"]] {
      #expect(try items.post("/import", fields(items, wrong)).status == 400, "\(wrong)")
    }
    #expect(try items.post("/import", ["rule": "skip"]).status == 400)
    #expect(try items.app.list(GenericPassword.self).items.count == 1)
  }

  @Test func `Selected items alone are exported, when a person agrees`() throws {
    let items = try InspectedItems { app in
      for name in ["one", "two"] { try app.add("value-\(name)", for: GenericPassword(service: name, account: "jane")) }
    }
    let boxes = try items.get("/items").text.matches(of: /name="item" value="([^"]+)"/).map { String($0.1) }
    let page = try items.get("/selection?list=all&action=export&item=\(boxes[0])").text
    #expect(page.contains("plain text") && page.contains("/selection/export?list=all") && !page.contains("value-"))
    let fields = ["format": "csv", "item": boxes[0]]
    #expect(try items.post("/selection/export?list=all", fields).status == 400)
    let file = try items.post("/selection/export?list=all", fields.merging(["sure": "1"]) { $1 })
    #expect(file.status == 200 && file.text.contains("value-one") != file.text.contains("value-two"), "\(file)")
    #expect(try items.post("/selection/export?list=all", ["format": "csv", "sure": "1", "item": "x"]).status == 400)
  }

  @Test func `A list is exported when a person agrees, without what its app protects`() throws {
    let items = try items()
    try items.app.addGuarded("guarded", value: "needle-guarded")
    let page = try items.get("/items/export?q=first").text
    #expect(page.contains("Export 1 item") && page.contains("plain text") && !page.contains("value-of-it"))
    #expect(try items.post("/items/export", ["format": "csv"]).status == 400)
    #expect(try items.post("/items/export", ["format": "pass", "sure": "1"]).status == 400)
    let csv = try items.post("/items/export?q=first", ["format": "csv", "sure": "1"])
    #expect(csv.status == 200 && csv["content-disposition"]?.contains("coffer-export.csv") == true, "\(csv)")
    #expect(csv.text.contains("first,,jane,value-of-it"))
    let all = try items.post("/items/export", ["format": "json", "sure": "1"])
    #expect(all.text.contains("value-of-it") && !all.text.contains("needle-guarded"))
    // The export is what an import reads.
    let group = "\(try items.team).com.example.shared"
    let copied = try items.post(
      "/import", fields(items, ["group": group, "file-name": "x.json", "file": all.text, "store": "1"]))
    #expect(copied.text.contains("1 item was imported"), "\(copied)")
  }
}
