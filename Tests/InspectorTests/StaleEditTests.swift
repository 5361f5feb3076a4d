import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferInspectProgram

/// An edit of an item that another program has changed meanwhile.
@Suite struct StaleEditTests {
  private func item(_ label: String = "before") -> GenericPassword {
    GenericPassword(service: "shop", account: "jane", label: label)
  }

  @Test func `What was typed is shown again beside what is stored now, and can be saved`() throws {
    let items = try InspectedItems { app in try app.add("value-of-it", for: item()) }
    let seen = try items.place(of: "shop")
    var other = item("of another program")
    other.comment = "theirs"
    try items.app.set("value-of-it", for: other)
    // The form as a browser sends it: all fields, of which one was changed, and one was overtaken.
    let form = ["svce": "shop", "acct": "jane", "labl": "typed here", "icmt": "", "pdmn": "ak", "value": "needle"]
    let stale = try items.post(seen.address("edit"), form.merging(["revision": seen.revision]) { $1 })
    #expect(stale.status == 409 && stale.text.contains("The item was not saved."), "\(stale)")
    #expect(stale.text.contains("value=\"typed here\"") && stale.text.contains("of another program"))
    // Nobody typed an empty comment: the new one is shown, and stays.
    #expect(stale.text.contains(">\ntheirs</textarea>"), "\(stale.text)")
    #expect(stale.text.contains("Type the new value again.") && !stale.text.contains("needle"))
    #expect(try items.app.storedItem(for: item())?.item.label == "of another program")

    let revision = try #require(stale.text.firstMatch(of: /name="revision" value="([^"]+)"/)).1
    #expect(revision != seen.revision)
    let again = form.merging(["revision": String(revision), "icmt": "theirs"]) { $1 }
    #expect(try items.post(seen.address("edit"), again).status == 303)
    let stored = try #require(try items.app.storedItem(for: item())).item
    #expect(stored.label == "typed here" && stored.comment == "theirs")
    #expect(try items.app.string(for: item()) == "needle")
  }

  @Test func `A seed that was typed before another change is asked for again, and not called still here`() throws {
    let items = try InspectedItems { app in try app.add("value-of-it", for: item()) }
    let seen = try items.place(of: "shop")
    try items.app.set("newer", for: item())
    let form = ["svce": "shop", "acct": "jane", "revision": seen.revision, "seed": "JBSWY3DPEHPK3PXP"]
    let stale = try items.post(seen.address("edit"), form)
    #expect(stale.status == 409 && stale.text.contains("Enter the seed of one-time codes again."), "\(stale)")
    #expect(!stale.text.contains("still here") && !stale.text.contains("JBSWY3DP"), "\(stale.text)")
    #expect(try items.app.storedItem(for: item())?.item.oneTimePassword == nil)
  }

  @Test func `An item that was renamed meanwhile keeps its new name unless it was typed`() throws {
    let items = try InspectedItems { app in try app.add("value-of-it", for: item()) }
    let seen = try items.place(of: "shop")
    try items.app.update(item()) { item throws(VaultError) in item.service = "renamed" }
    let form = ["svce": "shop", "acct": "jane", "labl": "typed here", "revision": seen.revision]
    let stale = try items.post(seen.address("edit"), form)
    #expect(stale.status == 409 && stale.text.contains("value=\"typed here\""), "\(stale)")
    #expect(stale.text.contains("value=\"renamed\"") && stale.text.contains("was renamed after it was shown"))
    let renamed = GenericPassword(service: "renamed", account: "jane")
    #expect(try items.app.storedItem(for: renamed)?.item.label == "before")
  }
}
