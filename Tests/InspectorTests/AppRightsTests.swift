import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// The inspector with `--app`: it shows what the app may see, also to requests that no page offers.
@Suite struct AppRightsTests {
  /// An inspector of a vault with two apps, as the one that only reads the group that both have, and their session.
  private struct Fixture {
    let inspector: RunningInspector
    let session: RunningInspector.Session
    let team: String

    var free: String { "\(team).com.example.photo.free" }
    var pro: String { "\(team).com.example.photo.pro" }
    var purchases: String { "\(team).com.example.photo.purchases" }

    init(app: String? = "com.example.photo.free") throws {
      let machine = try Machine()
      try machine.makeVault(name: "laptop-of-jane")
      for example in ["PhotoFree", "PhotoPro"] { try machine.register(example) }
      try machine.coffer("set", "secret.example.com", "jane", "--app", "com.example.photo.pro", input: "v")
      try machine.coffer(
        "set", "receipt", "jane", "--app", "com.example.photo.pro", "--group", "com.example.photo.purchases", input: "v"
      )
      let remote = machine.directory.path("remote.git")
      try Command.run("git", "init", "--quiet", "--bare", remote)
      try machine.coffer("remote", "set", remote)
      if let app {
        inspector = try RunningInspector(on: machine, "--app", app)
      } else {
        inspector = try RunningInspector(on: machine)
      }
      session = try inspector.enter()
      let status = try JSONSerialization.jsonObject(with: Data(machine.coffer("status", "--json").utf8))
      team = try #require((status as? [String: Any])?["team"] as? String)
    }

    func get(_ path: String) throws -> RawResponse { try inspector.send("GET", path, as: session) }

    func post(_ path: String, _ fields: String = "") throws -> RawResponse {
      try inspector.send("POST", path, form: "csrf=\(session.csrf)\(fields)", as: session)
    }

    /// The identifier of the laptop.
    var machineID: String {
      get throws {
        let devices = try LocalVault.open(VaultFolder(inspector.machine.vault)).membership().devices
        return try #require(devices.values.first).id.description
      }
    }
  }

  @Test func `Pages of the owner are refused to an app, with what to do`() throws {
    let fixture = try Fixture()
    for path in [
      "/machines", "/log", "/log?before=3", "/access", "/access?group=\(fixture.purchases)", "/sync", "/sync/progress",
      "/apps/\(fixture.pro)", "/apps/\(fixture.team).com.example.none", "/machines/none",
      "/machines/\(try fixture.machineID)", "/machines/\(try fixture.machineID)/remove", "/apps/\(fixture.pro)/remove",
      "/apps/\(fixture.free)/remove", "/apps/\(fixture.free)/remove?machine=\(try fixture.machineID)", "/replace",
      "/refused", "/pair",
      "/access/why?app=\(fixture.pro)&group=\(fixture.purchases)",
      "/access/why?app=\(fixture.free)&group=\(fixture.pro)",
      "/access/why?app=\(fixture.free)&group=\(fixture.team).com.example.none",
      "/access/why?app=\(fixture.team).com.example.none&group=\(fixture.purchases)",
    ] {
      let response = try fixture.get(path)
      #expect(response.status == 403, "\(path)")
      #expect(response.text.contains("Only the owner sees this"), "\(path)")
      #expect(
        response.text.contains("start it without --app: <code>coffer inspect</code>".startingWithCapital), "\(path)")
      #expect(!response.text.contains("laptop-of-jane") && !response.text.contains("photo.pro"), "\(path)")
    }
  }

  @Test func `An app removes nothing from the vault and adopts nothing, also not itself`() throws {
    let fixture = try Fixture()
    // The owner's page tells what a form has to confirm.
    let owner = try RunningInspector(on: fixture.inspector.machine)
    let session = try owner.enter()
    for app in [fixture.free, fixture.pro] {
      let page = "/apps/\(app)/remove"
      let shown = try owner.send("GET", page, as: session).text
      let scope = try #require(shown.firstMatch(of: /name="scope" value="([0-9a-f]{64})"/)).1
      let response = try fixture.post(page, "&sure=1&scope=\(scope)")
      #expect(response.status == 403 && response.text.contains("Only the owner sees this"), "\(response)")
    }
    for path in ["/machines/\(try fixture.machineID)/remove", "/refused/adopt"] {
      let response = try fixture.post(path, "&sure=1&scope=x&version=\(String(repeating: "0", count: 64))")
      #expect(response.status == 403 && response.text.contains("Only the owner sees this"), "\(response)")
    }
    let apps = try fixture.inspector.machine.coffer("app", "list")
    #expect(apps.contains("photo.free") && apps.contains("photo.pro"))
  }

  @Test func `An app sees nothing of what the owner has to replace, and of what is refused`() throws {
    let fixture = try Fixture()
    try fixture.inspector.machine.coffer("app", "remove", "com.example.photo.pro", "--yes")
    for path in ["/", "/items", "/apps/\(fixture.free)"] {
      let response = try fixture.get(path)
      #expect(response.status == 200, "\(path)")
      for hidden in ["/replace", "/refused", "/remove", "removed", "Removed"] {
        #expect(!response.text.contains(hidden), "\(hidden) in \(path)")
      }
    }
    let gone = try fixture.get("/apps/\(fixture.pro)")
    #expect(gone.status == 403 && !gone.text.contains("removed"))
  }

  @Test func `An app starts no sync, cancels none and sees nothing of any, nor of epochs and machines`() throws {
    let fixture = try Fixture()
    for path in ["/sync/start", "/sync/cancel"] {
      let response = try fixture.post(path)
      #expect(response.status == 403 && response.text.contains("Only the owner sees this"), "\(path)")
    }
    // The owner's overview names a sync that fails.
    let machine = fixture.inspector.machine
    let path = machine.directory.path("remote.git")
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    #expect(try machine.run("coffer", "sync").exitCode == 7)
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    for path in ["/", "/items", "/conflicts", "/apps/\(fixture.free)"] {
      let page = try fixture.get(path).text
      for hidden in ["Sync fails", "The last sync", "Epoch", "sign of life", "Not synced"] {
        #expect(!page.contains(hidden), "\(hidden) in \(path)")
      }
    }
    #expect(try Command.run("git", "-C", path, "for-each-ref").isEmpty)
    let owner = try RunningInspector(on: machine)
    #expect(try owner.send("GET", "/", as: owner.enter()).text.contains("The last sync has failed"))
  }

  @Test func `The overview, the lists and the app's own page have its groups, and nothing else of the vault`() throws {
    let fixture = try Fixture()
    let overview = try fixture.get("/")
    #expect(overview.status == 200 && overview.text.contains("As <bdi>com.example.photo.free</bdi>"))
    for path in [
      "/", "/items", "/items?q=e", "/certificates", "/keys", "/deleted", "/conflicts", "/health", "/import",
      "/items/export", "/apps/\(fixture.free)",
    ] {
      let response = try fixture.get(path)
      #expect(response.status == 200, "\(path)")
      #expect(response.text.contains("com.example.photo.purchases"), "\(path)")
      for hidden in [
        "secret.example.com", "remote.git", "href=\"/log", "href=\"/machines", "href=\"/sync", "href=\"/access\"",
      ] {
        #expect(!response.text.contains(hidden), "\(hidden) in \(path)")
      }
      #expect(!response.text.contains("groups/\(fixture.pro)"), "\(path)")
    }
    let list = try fixture.get("/apps")
    #expect(list.status == 303 && list["location"] == "/apps/\(fixture.free)")
    // One item, in the group that it reads.
    #expect(try fixture.get("/items").text.contains("<span id=\"count\">1 item</span>"))
    #expect(overview.text.contains(">1</a>") && !overview.text.contains(">2</a></dd></div><div><dt>Apps"))
  }

  @Test func `Groups that the app does not have cannot be opened, and its own are explained`() throws {
    let fixture = try Fixture()
    let unknown = try fixture.get("/groups/\(fixture.pro)")
    #expect(unknown.status == 403 && unknown.text.contains("This group is unknown, or cannot be read"))
    #expect(!unknown.text.contains("You may only read this"))
    let why = try fixture.get("/access/why?app=\(fixture.free)&group=\(fixture.purchases)")
    #expect(why.status == 200 && why.text.contains("Why <bdi>com.example.photo.free can read") == false)
    #expect(why.text.contains("com.example.photo.free can read com.example.photo.purchases"))
    #expect(!why.text.contains("photo.pro\""))
    let page = try fixture.get("/items")
    let item = try #require(page.text.firstMatch(of: /href="(\/items\/genp\/[0-9a-f]{32})[?"]/)).1
    let shown = try fixture.get(String(item))
    #expect(shown.status == 200 && !shown.text.contains("\"/access?group"))
    let link = try #require(shown.text.firstMatch(of: /href="(\/access\/why[^"]+)"/)).1
    let answer = try fixture.get(String(link).replacing("&amp;", with: "&"))
    #expect(answer.status == 200 && answer.text.contains("The item&#39;s record is valid"))
  }

  @Test func `The owner has all pages, and asks about any app`() throws {
    let fixture = try Fixture(app: nil)
    for path in [
      "/machines", "/machines/\(try fixture.machineID)", "/log", "/access", "/sync", "/apps", "/apps/\(fixture.pro)",
      "/apps/\(fixture.pro)/remove", "/replace", "/refused", "/pair",
    ] {
      #expect(try fixture.get(path).status == 200, "\(path)")
    }
    #expect(try !fixture.get("/").text.contains("class=\"actor\""))
    let list = try fixture.get("/groups/\(fixture.pro)")
    let item = try #require(list.text.firstMatch(of: /href="\/items\/genp\/([0-9a-f]{32})[?"]/)).1
    let question = "group=\(fixture.pro)&class=genp&reference=\(item)"
    let can = try fixture.get("/access/why?app=\(fixture.pro)&\(question)")
    #expect(can.text.contains("Why com.example.photo.pro can read secret.example.com in com.example.photo.pro"))
    let cannot = try fixture.get("/access/why?app=\(fixture.free)&\(question)")
    #expect(cannot.text.contains("Why com.example.photo.free cannot read secret.example.com"))
    #expect(cannot.text.contains("Access ends here"))
    let none = String(repeating: "0", count: 32)
    #expect(
      try fixture.get("/access/why?app=\(fixture.pro)&group=\(fixture.pro)&class=genp&reference=\(none)").status == 404)
    let unknown = try fixture.get("/groups/com.example.none")
    #expect(unknown.text.contains("This group is unknown, or cannot be read"))
  }
}

extension String {
  fileprivate var startingWithCapital: String { prefix(1).uppercased() + dropFirst() }
}
