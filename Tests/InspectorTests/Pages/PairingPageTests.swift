import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// Adding a machine in a browser, which joins with `coffer join`.
@Suite struct PairingPageTests {
  /// A laptop with the pages, and a folder in which the machines meet.
  private struct Scene {
    let laptop: Machine
    let desktop: Machine
    let folder: TemporaryDirectory
    let inspector: RunningInspector
    let session: RunningInspector.Session

    init(keepsVaultKey: Bool) throws {
      (laptop, desktop, folder) = (try Machine(), try Machine(), try TemporaryDirectory())
      if keepsVaultKey {
        try laptop.coffer("set", "store.example.com", "receipt", input: "4711")
      } else {
        try laptop.makeVault()
      }
      inspector = try RunningInspector(on: laptop)
      session = try inspector.enter()
    }

    func page() throws -> String { try inspector.send("GET", "/pair", as: session).text }

    func post(_ step: String, _ fields: [String: String] = [:]) throws -> RawResponse {
      let all = fields.merging(["csrf": session.csrf, "step": step]) { $1 }
      let form = all.map { "\($0.key)=\(PercentEscapes.encode($0.value))" }.joined(separator: "&")
      return try inspector.send("POST", "/pair", form: form, as: session)
    }

    /// Starts `coffer join` with the line of a page, and waits until the pages show the words of its request.
    func join(_ response: RawResponse) throws -> (program: RunningProgram, words: String) {
      let line = try #require(response.text.firstMatch(of: /PAIR1\.[^<\s]+/), "\(response)").output
      let program = try desktop.start(
        "coffer", ["join", "--no-service", "--no-passphrase", "--name", "desktop"], input: Data(line.utf8))
      var words: Substring?
      try waitUntil("the page shows the request") {
        #expect(try post("look").status == 303)
        words = try page().firstMatch(of: /name="words" value="([a-z-]+)"/)?.1
        return words != nil
      }
      return (program, try String(#require(words)))
    }
  }

  @Test func `A machine is added from the place to its enrolment, with the words that both screens show`() throws {
    let scene = try Scene(keepsVaultKey: true)
    #expect(try scene.inspector.send("GET", "/machines", as: scene.session).text.contains("href=\"/pair\""))
    #expect(try scene.page().contains("The vault key is not written down yet"))
    #expect(try scene.post("line").status == 422)
    let refused = try scene.post("place", ["place": scene.folder.path("absent")])
    #expect(refused.status == 422 && refused.text.contains("there is no such folder"), "\(refused)")
    let secret = try scene.post("place", ["place": "https://jane:needle@git.example.com/vault.git"])
    #expect(secret.status == 422 && !secret.text.contains("needle"), "a program would have it as an argument")
    #expect(try scene.post("place", ["place": scene.folder.path]).status == 303)
    #expect(try !scene.page().contains("PAIR1."))
    let (program, words) = try scene.join(scene.post("line"))
    #expect(String(decoding: try program.outputSoFar(), as: UTF8.self).contains(words))
    for fields in [["words": words], ["sure": "1"], ["sure": "1", "words": "babab-babab"]] {
      #expect(try scene.post("enrol", fields).status == 422, "\(fields)")
    }
    #expect(try !scene.laptop.coffer("device", "list").contains("\ndesktop"))
    let enrolled = try scene.post("enrol", ["sure": "1", "words": words])
    #expect(enrolled.status == 303 && enrolled["location"] == "/machines", "\(enrolled)")
    let joined = try program.wait()
    #expect(joined.exitCode == 0 && joined.text.contains("This machine is an admin"), "\(joined)")
    #expect(try scene.desktop.coffer("get", "store.example.com", "receipt") == "4711")
  }

  @Test func `A page never asks for the vault key, and cancels a line whose words differ`() throws {
    let scene = try Scene(keepsVaultKey: false)
    #expect(try scene.post("place", ["place": scene.folder.path]).status == 303)
    let (program, words) = try scene.join(scene.post("line"))
    let page = try scene.page()
    #expect(page.contains("coffer device approve ") && !page.contains("Enrol the machine"), "\(page)")
    #expect(try scene.post("enrol", ["sure": "1", "words": words]).status == 422)
    #expect(try scene.post("refuse", ["words": words]).status == 303)
    let refused = try program.wait()
    #expect(refused.exitCode == 4 && refused.errors.contains("the invitation was cancelled"), "\(refused)")
    #expect(try !scene.laptop.coffer("device", "list").contains("\ndesktop"))
  }
}
