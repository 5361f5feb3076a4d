import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Removing machines and apps from the vault in a browser: nothing that was not shown and confirmed.
@Suite struct RemovalPageTests {
  private let mail = "com.example.mail"
  private let words = "Nothing was removed from the vault."

  private func items(hasPassphrase: Bool = false) throws -> InspectedItems {
    try InspectedItems(hasPassphrase: hasPassphrase) { app in
      try app.add("value-of-it", for: GenericPassword(service: "mail.example.com", account: "jane"))
    }
  }

  private func scope(of page: RawResponse) throws -> String {
    String(try #require(page.text.firstMatch(of: /name="scope" value="([0-9a-f]{64})"/), "\(page)").1)
  }

  private func apps(of items: InspectedItems) throws -> String { try items.machine.coffer("app", "list") }

  private func app(_ items: InspectedItems) throws -> String { "\(try items.team).\(mail)" }

  @Test func `An app is removed as its preview showed it, with the passphrase, and the pages say when and by whom`()
    throws
  {
    let items = try items(hasPassphrase: true)
    let page = "/apps/\(try app(items))"
    #expect(try items.get(page).text.contains("href=\"\(page)/remove\""))
    let preview = try items.get("\(page)/remove")
    #expect(preview.status == 200 && preview.text.contains("Remove com.example.mail from the vault?"))
    for fact in [
      "Apps that lose their rights there", "Access groups that get new keys", ">com.example.shared<",
      "Items that could be read", "Records that they wrote and that stay valid",
    ] {
      #expect(preview.text.contains(fact), "\(fact)")
    }
    #expect(!preview.text.contains("value-of-it") && preview.text.contains("name=\"passphrase\""))
    let scope = try scope(of: preview)

    for (fields, status) in [
      (["scope": scope, "passphrase": InspectedItems.passphrase], 400), (["sure": "1"], 400),
      (["scope": scope, "sure": "1"], 422), (["scope": scope, "sure": "1", "passphrase": "wrong"], 422),
    ] {
      let refused = try items.post("\(page)/remove", fields)
      #expect(refused.status == status, "\(fields.keys): \(refused)")
      #expect(!refused.text.contains(InspectedItems.passphrase))
    }
    #expect(try apps(of: items).contains(mail))

    let done = try items.post(
      "\(page)/remove", ["scope": scope, "sure": "1", "passphrase": InspectedItems.passphrase])
    #expect(done.status == 303 && done["location"] == "/apps?done=removed", "\(done)")
    #expect(!(try apps(of: items).contains(mail)))
    let list = try items.get("/apps?done=removed")
    #expect(list.text.contains("It is removed from the vault.") && list.text.contains("href=\"/replace\""))
    #expect(list.text.contains("id=\"removed\"") && list.text.contains("by <bdi>the owner on laptop</bdi>"))
    let gone = try items.get(page)
    #expect(gone.status == 404 && gone.text.contains("The app com.example.mail was removed on 2"), "\(gone)")
    #expect(gone.text.contains("by the owner on laptop (entry "))
    let log = try items.get("/log").text
    #expect(log.contains("The owner on laptop removed the app com.example.mail from the vault."))
    #expect(log.contains("The owner on laptop replaced the key of the access group com.example.shared"))
    #expect(log.contains("Records that stay valid"))
    // The form cannot be sent again.
    #expect(
      try items.post("\(page)/remove", ["scope": scope, "sure": "1", "passphrase": InspectedItems.passphrase]).status
        == 404)
  }

  @Test func `A preview that the vault has outlived is shown anew, and removes nothing`() throws {
    let items = try items()
    let page = "/apps/\(try app(items))/remove"
    let old = try scope(of: items.get(page))
    let plist = entitlementsPlist(mail, groups: ["~com.example.mail", "~com.example.shared", "~com.example.later"])
    try items.machine.coffer("app", "add", try items.machine.directory.write("later.plist", plist))
    let anew = try items.post(page, ["scope": old, "sure": "1"])
    #expect(anew.status == 409 && anew.text.contains(words), "\(anew)")
    #expect(anew.text.contains("The vault has changed since this was shown"))
    #expect(anew.text.contains(">com.example.later<"))
    #expect(try apps(of: items).contains(mail))
    let new = try scope(of: anew)
    #expect(new != old)
    #expect(try items.post(page, ["scope": new, "sure": "1"]).status == 303)
    #expect(!(try apps(of: items).contains(mail)))
  }

  @Test func `Items that are written after a preview do not keep a removal from being done`() throws {
    let items = try items()
    let page = "/apps/\(try app(items))/remove"
    let scope = try scope(of: items.get(page))
    try items.app.add("later", for: GenericPassword(service: "later.example.com", account: "jane"))
    #expect(try items.post(page, ["scope": scope, "sure": "1"]).status == 303)
  }

  @Test func `Forms of another session, another site or another subject remove nothing`() throws {
    let items = try items()
    let other = try RunningInspector(on: items.machine)
    let foreign = try other.enter()
    let machine = try items.machineID(of: "laptop")
    let page = "/apps/\(try app(items))/remove"
    let scope = try scope(of: items.get(page))
    let form = "scope=\(scope)&sure=1"
    for (headers, csrf) in [
      ([:], foreign.csrf), ([:], ""), (["Origin": other.origin], items.session.csrf),
      (["Origin": "http://evil.example"], items.session.csrf),
      (["Origin": "", "Sec-Fetch-Site": "cross-site"], items.session.csrf),
    ] {
      let response = try items.inspector.send("POST", page, headers, form: "\(form)&csrf=\(csrf)", as: items.session)
      #expect(response.status == 403, "\(headers): \(response)")
    }
    let cookie = RunningInspector.Session(cookie: foreign.cookie, csrf: items.session.csrf)
    #expect(try items.inspector.send("POST", page, form: "\(form)&csrf=\(cookie.csrf)", as: cookie).status == 403)
    #expect(try items.inspector.send("GET", page + "?\(form)", as: items.session).status == 200)
    // The preview of the app on every machine is none of the app on this machine, which has the same keys.
    let elsewhere = try items.post("\(page)?machine=\(machine)", ["scope": scope, "sure": "1"])
    #expect(elsewhere.status == 409 && elsewhere.text.contains("Remove com.example.mail on laptop?"))
    for path in ["/apps/none/remove", "/machines/none/remove", "\(page)?machine=none"] {
      #expect(try items.post(path, ["scope": scope, "sure": "1"]).status == 404, "\(path)")
    }
    #expect(try apps(of: items).contains(mail))
  }

  @Test func `An app is removed on one machine, and stays registered`() throws {
    let items = try items()
    let machine = try items.machineID(of: "laptop")
    let page = "/apps/\(try app(items))"
    let preview = try items.get("\(page)/remove?machine=\(machine)")
    #expect(preview.text.contains("Remove com.example.mail on laptop?"))
    #expect(try items.get(page).text.contains("\(page)/remove?machine=\(machine)"))
    let done = try items.post(
      "\(page)/remove?machine=\(machine)", ["scope": scope(of: preview), "sure": "1"])
    #expect(done.status == 303 && done["location"] == "\(page)?done=removed", "\(done)")
    let after = try items.get(page)
    #expect(after.status == 200 && after.text.contains("The app has keys on no machine."))
    #expect(after.text.contains("<h3>Removed</h3>") && after.text.contains("by <bdi>the owner on laptop</bdi>"))
    #expect(throws: VaultError.self) { try items.app.set("x", for: GenericPassword(service: "x", account: "x")) }
  }

  @Test func `A machine that is no admin is removed by the form, and its page says when and by whom`() throws {
    let items = try items()
    let id = try items.machine.enrolMember("<i>tablet</i>", with: mail)
    let page = "/machines/\(id)"
    #expect(try items.get("/machines").text.contains("href=\"\(page)\""))
    let before = try items.get(page)
    #expect(before.status == 200 && before.text.contains("This machine has been in the vault since"))
    #expect(before.text.contains(">Member<") && before.text.contains("href=\"\(page)/remove\""))
    #expect(before.text.contains("&lt;i&gt;tablet&lt;/i&gt;") && !before.text.contains("<i>"))
    let preview = try items.get("\(page)/remove")
    #expect(preview.text.contains(">com.example.mail<") && !preview.text.contains("device revoke"))
    let done = try items.post("\(page)/remove", ["scope": scope(of: preview), "sure": "1"])
    #expect(done.status == 303 && done["location"] == "\(page)?done=removed", "\(done)")
    let after = try items.get(page)
    #expect(after.text.contains("This machine was removed from the vault on") && !after.text.contains(">Member<"))
    #expect(after.text.contains("by <bdi>the owner on laptop</bdi>"))
    let list = try items.get("/machines").text
    #expect(list.contains("id=\"removed\"") && list.contains("&lt;i&gt;tablet"))
    #expect(try items.get("/log").text.contains("removed the machine &lt;i&gt;tablet&lt;/i&gt; from the vault"))
    #expect(try items.machine.coffer("device", "list", "--revoked").contains("removed"))
    #expect(try items.get("\(page)/remove").status == 404)
  }

  @Test func `An admin's machine gets a command for the terminal and no form, and this machine neither`() throws {
    let items = try items()
    let desktop = try items.addMachine(named: "jane's desktop")
    let remote = items.machine.directory.path("remote.git")
    let page = "/machines/\(try items.machineID(of: "jane's desktop"))"
    let preview = try items.get("\(page)/remove")
    #expect(
      preview.status == 200 && preview.text.contains("coffer device revoke &#39;jane&#39;\\&#39;&#39;s desktop&#39;"))
    #expect(preview.text.contains("Only the vault key") && !preview.text.contains("name=\"scope\""))
    #expect(try items.post("\(page)/remove", ["scope": "x", "sure": "1"]).status == 409)
    #expect(try items.machine.coffer("device", "list").contains("jane's desktop"))
    let own = "/machines/\(try items.machineID(of: "laptop"))"
    #expect(try items.get(own).text.contains("A machine cannot remove itself."))
    let refused = try items.get("\(own)/remove")
    #expect(refused.status == 400 && refused.text.contains("cannot remove itself"))

    // Without the remote, nothing that is shown as done could be lost by the next sync.
    try FileManager.default.moveItem(atPath: remote, toPath: remote + ".moved")
    let app = "/apps/\(try self.app(items))/remove"
    let failed = try items.post(app, ["scope": scope(of: items.get(app)), "sure": "1"])
    #expect(failed.status == 502 && failed.text.contains(words), "\(failed)")
    #expect(failed.text.contains("The sync failed with exit code") && failed.text.contains("remote.git"))
    #expect(try apps(of: items).contains(mail))
    try FileManager.default.moveItem(atPath: remote + ".moved", toPath: remote)
    #expect(try items.post(app, ["scope": scope(of: items.get(app)), "sure": "1"]).status == 303)
    try desktop.coffer("sync")
    #expect(!(try desktop.coffer("app", "list").contains(mail)))
  }

  @Test func `The preview of an admin's removal lists the apps whose keys it made, and the machines that it enrolled`()
    throws
  {
    let items = try items()
    let desktop = try items.addMachine(named: "desktop")
    let page = "/machines/\(try items.machineID(of: "desktop"))/remove"
    let before = try items.get(page).text
    #expect(!before.contains("whose keys this admin made") && !before.contains("Machines that it enrolled"))
    _ = try items.machine.enrolMember("<i>tablet</i>", with: mail, by: desktop)
    let preview = try items.get(page)
    #expect(preview.status == 200, "\(preview)")
    for fact in [
      "Apps whose keys this admin made, which lose their rights there", "\(mail) on &lt;i&gt;tablet&lt;/i&gt;",
      "Machines that it enrolled and that stay", "Remove them too if you do not know them.",
    ] {
      #expect(preview.text.contains(fact), "\(fact)")
    }
    #expect(!preview.text.contains("<i>"))
  }

  @Test func `A machine that was removed says so on its own pages, and removes nothing itself`() throws {
    let items = try items()
    let desktop = try items.addMachine(named: "desktop")
    let scope = try scope(of: items.get("/apps/\(app(items))/remove"))
    // It begins before: the owner of such a machine opens the vault no more.
    let inspector = try RunningInspector(on: desktop)
    let session = try inspector.enter()
    try items.machine.coffer(
      "device", "revoke", "desktop", "--vault-key-file", items.machine.directory.path("vault-key"), "--yes")
    _ = try desktop.run("coffer", "sync")
    let overview = try inspector.send("GET", "/", as: session).text
    #expect(overview.contains("This machine was removed from the vault on ") && overview.contains("by the vault key"))
    let form = "csrf=\(session.csrf)&sure=1&scope=\(scope)"
    let refused = try inspector.send("POST", "/apps/\(app(items))/remove", form: form, as: session)
    #expect(refused.status >= 400 && refused.text.contains("removed"), "\(refused)")
    #expect(try apps(of: items).contains(mail))
  }

  @Test func `A removal that another machine changes during the first sync is shown anew`() throws {
    let items = try items()
    let desktop = try items.addMachine(named: "desktop")
    let page = "/apps/\(try app(items))/remove"
    let old = try scope(of: items.get(page))
    let plist = entitlementsPlist(mail, groups: ["~com.example.mail", "~com.example.shared", "~com.example.later"])
    try desktop.coffer("app", "add", try desktop.directory.write("later.plist", plist))
    // This machine has not heard of it when the form is sent.
    #expect(try scope(of: items.get(page)) == old)
    let anew = try items.post(page, ["scope": old, "sure": "1"])
    #expect(anew.status == 409 && anew.text.contains(">com.example.later<"), "\(anew)")
    #expect(try apps(of: items).contains(mail))
  }
}
