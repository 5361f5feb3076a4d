import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferInspectProgram

/// Requests about items that no page sends: with the form of another item, with filters that say nothing, with guesses.
@Suite struct ItemRequestTests {
  private func twoItems() throws -> InspectedItems {
    try InspectedItems { app in
      for name in ["first", "second"] {
        try app.add("value-of-\(name)", for: GenericPassword(service: name, account: "jane"))
      }
    }
  }

  @Test func `A form of another item changes nothing and shows no value`() throws {
    let items = try twoItems()
    let (first, second) = (try items.place(of: "first"), try items.place(of: "second"))
    let group = try #require(items.app.accessGroups.map(\.name).last)
    let version = try items.get(second.address("history")).text.firstMatch(of: /name="version" value="([0-9a-f]+)"/)
    let changes: [(String, [String: String])] = [
      ("edit", ["labl": "Label"]), ("move", ["to": group]), ("delete", [:]),
      ("restore", ["version": version.map { String($0.1) } ?? String(repeating: "0", count: 64)]),
    ]
    for (action, fields) in changes {
      let response = try items.post(
        first.address(action), fields.merging(["revision": second.revision]) { $1 })
      #expect(response.status == 409, "\(action): \(response)")
      #expect(response.text.contains("not of this item"), "\(action)")
    }
    for name in ["first", "second"] {
      let stored = try #require(try items.app.storedItem(for: GenericPassword(service: name, account: "jane")))
      #expect(stored.item.label == nil)
    }
    let value = try items.value(at: first.address("value"), ["revision": second.revision])
    #expect(value.status == 422 && value.text.contains("not of this item") && !value.text.contains("value-of"))
    let own = try items.value(at: first.address("value"), ["revision": first.revision])
    #expect(own.status == 200 && own.text == #"{"text":"value-of-first"}"#)
  }

  @Test func `A filter that says nothing gets a page that names it, and deletes nothing`() throws {
    let items = try twoItems()
    let group = try #require(items.app.accessGroups.first).name
    let page = try items.get("/items/delete?q=first")
    let seen = try #require(page.text.firstMatch(of: /name="seen" value="([0-9a-f]+)"/))
    #expect(page.text.contains("Delete 1 item"))
    for (query, words) in [
      ("class=none", "“class”"), ("clas=genp", "“clas”"), ("show=x", "“show”"), ("sort=x", "“sort”"),
      ("class=genp&class=cert", "“class” twice"), ("q=%FF", "“q”"), ("class=%FF", "“class”"), ("q=%", "not encoded"),
      ("q=%GG", "not encoded"), (String(repeating: "q=&", count: 300), "not encoded"),
    ] {
      for list in ["/items", "/groups/\(group)"] {
        for path in ["\(list)?\(query)", "\(list)/delete?\(query)"] {
          let response = try items.get(path)
          #expect(response.status == 400 && response.text.contains(words), "\(path): \(response)")
        }
        let deletion = try items.post("\(list)/delete?\(query)", ["seen": String(seen.1), "sure": "1"])
        #expect(deletion.status == 400 && deletion.text.contains(words), "\(query): \(deletion)")
      }
    }
    for path in ["/groups/%FF", "/groups/%FF/delete", "/log?before=x", "/certificates?class=genp", "/keys?shwo=x"] {
      #expect(try items.get(path).status == 400, "\(path)")
    }
    #expect(try items.get("/items?q=%CC%81").text.contains("No item matches"))
    #expect(try items.app.list(GenericPassword.self).items.count == 2)
  }

  @Test func `Wrong passphrases for a value and for the locked vault have one limit`() throws {
    let items = try InspectedItems(hasPassphrase: true) { app in try app.addGuarded("guarded", value: "value-of-it") }
    let place = try items.place(of: "guarded")
    func show(_ passphrase: String) throws -> RawResponse {
      try items.value(at: place.address("value"), ["revision": place.revision, "passphrase": passphrase])
    }
    for _ in 1...4 {
      let wrong = try show("wrong")
      #expect(wrong.status == 422 && wrong.text.contains("wrong") && !wrong.text.contains("value-of"))
    }
    #expect(try show(InspectedItems.passphrase).text == #"{"text":"value-of-it"}"#, "the right one begins anew")
    for _ in 1...4 { #expect(try show("wrong").status == 422) }
    // None is no wrong one.
    for _ in 1...3 { #expect(try show("").status == 422) }
    _ = try show("wrong")
    try waitUntil("the program has ended") { !items.inspector.program.isRunning }
    let outcome = try items.inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Too many wrong passphrases"), "\(outcome)")
  }

  @Test func `A form says that a choice or a version keeps the item on this machine, and so off the others`() throws {
    var item = GenericPassword(service: "synced", account: "jane")
    let items = try InspectedItems { app in
      item.accessibility = .whenUnlockedThisDeviceOnly
      try app.add("value", for: item)
      item.accessibility = .whenUnlocked
      try app.set("value", for: item)
      try app.add(
        "value", for: GenericPassword(service: "local", account: "jane", accessibility: .whenUnlockedThisDeviceOnly))
    }
    let words = "the next sync deletes the item on all other machines"
    let (synced, local) = (try items.place(of: "synced"), try items.place(of: "local"))
    #expect(try items.get(synced.address("edit")).text.contains(words))
    #expect(try items.get(synced.address("history")).text.components(separatedBy: words).count == 2)
    for action in ["edit", "history"] { #expect(!(try items.get(local.address(action)).text.contains(words))) }
    // The machine has no passphrase.
    let refused = try items.post(synced.address("edit"), ["revision": synced.revision, "pdmn": "akpu"])
    #expect(refused.status == 422 && refused.text.contains("coffer passphrase set"), "\(refused)")
  }

  @Test func `A form of many fields is refused before its fields take memory`() throws {
    let items = try twoItems()
    let before = try items.inspector.memory("VmHWM")
    let form = String(repeating: "a&", count: InspectorForm.maximumByteCount / 2)
    #expect(try items.inspector.send("POST", "/items", form: form, as: items.session).status == 415)
    let after = try items.inspector.memory("VmHWM")
    #expect(after - before < 40_000, "\(before) KiB before, \(after) KiB after")
  }
}
