import Coffer
import CofferTestSupport
import Foundation
import Testing

/// New items, generated values, and certificates as files: by requests as pages send them, and as none does.
@Suite struct CreationPageTests {
  private func items() throws -> InspectedItems {
    try InspectedItems { app in try app.add("value-of-it", for: GenericPassword(service: "first", account: "jane")) }
  }

  private func group(_ items: InspectedItems, _ name: String = "com.example.mail") throws -> String {
    "\(try items.team).\(name)"
  }

  @Test func `A password is stored by the form, and its value is in no page`() throws {
    let items = try items()
    let group = try group(items)
    #expect(try items.get("/groups/\(group)").text.contains("/items/new?"))
    let form = try items.get("/items/new?group=\(group)").text
    #expect(form.contains("name=\"svce\"") && form.contains("name=\"csrf\"") && form.contains("<textarea"))
    let done = try items.post(
      "/items/new?class=genp",
      ["group": group, "svce": "second", "acct": "jane", "value": "needle\r\nsecond line", "pdmn": "ck"])
    #expect(done.status == 303, "\(done)")
    let page = try items.get(try #require(done["location"]))
    #expect(page.status == 200 && page.text.contains("The item was stored.") && !page.text.contains("needle"))
    let name = GenericPassword(service: "second", account: "jane")
    #expect(try items.app.string(for: name) == "needle\nsecond line")
    #expect(try items.app.storedItem(for: name)?.item.accessibility == .afterFirstUnlock)
  }

  @Test func `A new password takes the seed of its one-time codes, and a malformed one stores nothing`() throws {
    let items = try items()
    let fields = ["group": try group(items), "svce": "coded", "acct": "jane", "value": "v"]
    let refused = try items.post("/items/new?class=genp", fields.merging(["seed": "not 1 seed"]) { $1 })
    #expect(refused.status == 422 && !refused.text.contains("not 1 seed"), "\(refused)")
    #expect(refused.text.contains("Type the value again, and enter the seed of one-time codes again."), "\(refused)")
    for (account, seed) in [("text", "JBSWY3DPEHPK3PXP"), ("uri", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP")] {
      let done = try items.post("/items/new?class=genp", fields.merging(["acct": account, "seed": seed]) { $1 })
      #expect(done.status == 303, "\(done)")
      let item = try items.app.storedItem(for: GenericPassword(service: "coded", account: account))
      #expect(item?.item.oneTimePassword != nil, "\(account)")
    }
  }

  @Test func `A form that cannot be stored is shown again with what was typed, except the value`() throws {
    let items = try items()
    let group = try group(items)
    let fields = ["group": group, "svce": "first", "acct": "jane", "labl": "A label", "value": "needle"]
    let taken = try items.post("/items/new?class=genp", fields)
    #expect(taken.status == 409 && taken.text.contains("Nothing was stored.") && taken.text.contains("A label"))
    #expect(taken.text.contains("Type the value again.") && !taken.text.contains("needle"))
    for (other, status) in [
      (["svce": "", "acct": "", "value": "v"], 422), (["svce": "x", "value": ""], 422),
      (["svce": "x", "value": "v", "pdmn": "none"], 422), (["srvr": "x", "value": "v"], 422),
    ] {
      let refused = try items.post("/items/new?class=genp", other.merging(["group": group]) { $1 })
      #expect(refused.status == status, "\(other): \(refused)")
    }
    for (path, fields) in [
      ("/items/new?class=idnt", ["group": group]), ("/items/new?class=cert", ["group": group]),
      ("/items/new?class=x", ["group": group]), ("/items/new", [:]),
    ] {
      #expect(try items.post(path, fields).status == 400, "\(path)")
    }
    #expect(try items.post("/items/new", ["group": "none", "svce": "x", "value": "v"]).status == 403)
    #expect(try items.app.list(GenericPassword.self).items.count == 1)
  }

  @Test func `Without its token, nothing is stored, generated or changed`() throws {
    let items = try items()
    let group = try group(items)
    for (path, fields) in [
      ("/items/new?class=genp", "group=\(group)&svce=x&value=v"), ("/generate", "length=20&characters=all"),
      ("/passphrase", "new=abc&repeated=abc"),
    ] {
      for csrf in ["", "csrf=\(String(repeating: "0", count: 64))&"] {
        let response = try items.inspector.send(
          "POST", path, ["Accept": "application/json"], form: csrf + fields, as: items.session)
        #expect(response.status == 403, "\(path): \(response)")
      }
      let stranger = try items.inspector.send("POST", path, form: fields)
      #expect(stranger.status == 403, "\(path): \(stranger)")
    }
    #expect(try items.app.list(GenericPassword.self).items.count == 1)
    #expect(!(try items.get("/passphrase").text.contains("Current passphrase")))
  }

  @Test func `A value is generated as it was chosen, for a script or when the form is stored`() throws {
    let items = try items()
    let group = try group(items)
    var seen = Set<String>()
    for _ in 1...3 {
      let answer = try items.value(at: "/generate", ["length": "32", "characters": "alphanumeric"])
      let text = try #require(answer.text.wholeMatch(of: /\{"text":"([A-Za-z0-9]{32})"\}/), "\(answer)")
      seen.insert(String(text.1))
      #expect(answer["cache-control"] == "no-store")
    }
    #expect(seen.count == 3)
    let words = try items.value(at: "/generate", ["length": "5", "characters": "words"])
    #expect(words.text.wholeMatch(of: /\{"text":"[a-z]+(-[a-z]+){4,9}"\}/) != nil, "\(words)")
    let long = try items.value(at: "/generate", ["length": "127", "characters": "digits"])
    #expect(long.text.wholeMatch(of: /\{"text":"[0-9]{127}"\}/) != nil, "\(long)")
    for fields in [
      ["length": "3", "characters": "all"], ["length": "25", "characters": "words"],
      ["length": "20", "characters": "x"], ["length": "20"], [:],
    ] {
      let refused = try items.value(at: "/generate", fields)
      #expect(refused.status == 422 && refused.text.contains("3 to 24 words"), "\(refused)")
    }
    let done = try items.post(
      "/items/new", ["group": group, "svce": "made", "generate": "1", "length": "12", "characters": "digits"])
    #expect(done.status == 303, "\(done)")
    let value = try #require(try items.app.string(for: GenericPassword(service: "made", account: "")))
    #expect(value.wholeMatch(of: /[0-9]{12}/) != nil)
  }

  @Test func `Keys are generated, and certificates come and go as files`() throws {
    let items = try items()
    let group = try group(items)
    let key = try items.post(
      "/items/new?class=keys", ["group": group, "label": "Signing", "tag": "t", "algorithm": "p256"])
    #expect(key.status == 303 && key["location"]?.hasPrefix("/items/keys/") == true, "\(key)")
    #expect(
      try items.post("/items/new?class=keys", ["group": group, "label": "x", "algorithm": "rsa"]).status == 422)
    let (path, secret) = (items.machine.directory.path("c.pem"), items.machine.directory.path("c.key"))
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", secret,
      "-out", path, "-subj", "/CN=<b>\"; x=\\\r", "-days", "10")
    let pem = try String(contentsOfFile: path, encoding: .utf8)
    let fields = ["group": group, "rule": "skip", "store": "1", "file-name": "c.pem"]
    let key2 = try String(contentsOfFile: secret, encoding: .utf8)
    let refused = try items.post("/import", fields.merging(["file": pem + key2]) { $1 })
    #expect(refused.status == 422 && refused.text.contains("something else than certificates"), "\(refused)")
    let done = try items.post("/import", fields.merging(["file": pem]) { $1 })
    #expect(done.text.contains("1 item was imported."), "\(done)")
    let place = try #require(try items.get("/certificates").text.firstMatch(of: /href="(\/items\/cert\/[0-9a-f]+)/)).1
    let file = try items.get("\(place)/certificate.pem?group=\(group)")
    #expect(file.status == 200 && file.text == pem)
    let disposition = try #require(file["content-disposition"])
    #expect(disposition.wholeMatch(of: /attachment; filename="[A-Za-z0-9_-]+\.pem"/) != nil, "\(disposition)")
    #expect(try items.get(String(place)).text.contains("/certificate.pem"))
    #expect(try items.get("/items/genp/\(String(repeating: "0", count: 32))/certificate.pem").status == 404)
    #expect(try items.post("/import", fields.merging(["file": pem]) { $1 }).text.contains("1 there already"))
  }

  @Test func `An app adds items to the groups that it may write, and to no other`() throws {
    let items = try InspectedItems { _ in }
    let plist = entitlementsPlist(
      "com.example.reader", groups: ["~com.example.reader"], readOnly: ["~com.example.shared"])
    try items.machine.coffer("app", "add", try items.machine.directory.write("reader.plist", plist))
    let inspector = try RunningInspector(on: items.machine, "--app", "com.example.reader")
    let session = try inspector.enter()
    func add(_ name: String) throws -> Int {
      let form = "csrf=\(session.csrf)&svce=x&value=v&group=\(try group(items, name))"
      return try inspector.send("POST", "/items/new", form: form, as: session).status
    }
    #expect(try add("com.example.shared") == 403)
    #expect(try add("com.example.mail") == 403)
    #expect(try add("com.example.reader") == 303)
    let page = try inspector.send("GET", "/items/new?group=\(try group(items, "com.example.shared"))", as: session)
    #expect(page.status == 403)
    let shared = try inspector.send("GET", "/groups/\(try group(items, "com.example.shared"))", as: session)
    #expect(shared.status == 200 && !shared.text.contains("/items/new?group="))
    for (method, form) in [("GET", nil), ("POST", "csrf=\(session.csrf)&new=x&repeated=x")] {
      let refused = try inspector.send(method, "/passphrase", form: form, as: session)
      #expect(refused.status == 403 && refused.text.contains("Only the owner sees this"))
    }
  }
}
