import CofferTestSupport
import Foundation
import Testing

/// `coffer edit --value`, with scripts in the place of an editor.
@Suite struct EditValueTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "api", "jane", "--label", "Server", input: "s3cret-value")
  }

  private func edit(_ script: String, _ options: String..., variable: String = "EDITOR") throws -> Machine.Outcome {
    let editor = try machine.directory.writeScript("editor", script)
    return try machine.start(
      "coffer", ["edit", "api", "jane", "--value"] + options, environment: [variable: "\(editor) --wait"]
    ).wait()
  }

  /// The folders that editing has left in memory.
  private var folders: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").filter { name in
        let path = machine.directory.path("path")
        let last = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "/").dropLast().last
        return name == last.map(String.init)
      }
    }
  }

  @Test func `The editor gets the value in a private file in memory, of which nothing is left`() throws {
    let path = machine.directory.path
    let outcome = try edit(
      """
      echo "$2" > \(path)/path
      stat -c '%a %U' "$2" "$(dirname "$2")" > \(path)/modes
      stat -f -c '%T' "$2" > \(path)/system
      cat "$2" > \(path)/seen
      printf 'copy' > "$(dirname "$2")/.value.swp"
      printf 'edited\\n' > "$2"
      """)
    #expect(outcome.exitCode == 0 && outcome.text.hasPrefix("Changed api in "), "\(outcome)")
    #expect(try machine.coffer("get", "api", "jane") == "edited")
    #expect(try machine.run("coffer", "get", "api", "jane").output == Data("edited".utf8))
    #expect(try String(contentsOfFile: "\(path)/seen", encoding: .utf8) == "s3cret-value")
    let user = NSUserName()
    #expect(try String(contentsOfFile: "\(path)/modes", encoding: .utf8) == "600 \(user)\n700 \(user)\n")
    #expect(try String(contentsOfFile: "\(path)/system", encoding: .utf8) == "tmpfs\n")
    #expect(try String(contentsOfFile: "\(path)/path", encoding: .utf8).hasPrefix("/dev/shm/coffer-"))
    #expect(try folders.isEmpty)
    #expect(try machine.coffer("show", "api", "jane").contains("Server"))
  }

  @Test func `An editor that changes nothing, fails or is interrupted leaves the item as it is`() throws {
    let note = "echo \"$2\" > \(machine.directory.path)/path"
    let same = try edit("\(note); echo >> \"$2\"")
    #expect(same.exitCode == 0 && same.text.contains("nothing was changed"), "\(same)")
    #expect(same.errors.contains("EDITOR='code --wait'"), "\(same)")
    let failed = try edit("\(note); echo x > \"$2\"; exit 1")
    #expect(failed.exitCode == 1, "\(failed)")
    #expect(failed.errors.contains("the editor ended with an error"), "\(failed)")
    let killed = try edit("\(note); echo x > \"$2\"; kill -TERM $PPID; kill -INT $PPID; exit 3")
    #expect(killed.errors.contains("the editor ended with an error"), "\(killed)")
    expectFailure(try edit("\(note); : > \"$2\""), 2, "the value is empty", "coffer set --allow-empty")
    #expect(try machine.coffer("get", "api", "jane") == "s3cret-value")
    #expect(try folders.isEmpty)
  }

  @Test func `A value and attributes are changed together, and VISUAL comes before EDITOR`() throws {
    machine.environment["EDITOR"] = "false"
    let outcome = try edit("printf 'two\\nlines\\n' > \"$2\"", "--label", "New", variable: "VISUAL")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try machine.coffer("get", "api", "jane") == "two\nlines")
    #expect(try machine.coffer("show", "api", "jane").contains("New"))
    // A value whose last line has ended keeps that.
    try machine.coffer("set", "api", "jane", input: "a\n")
    #expect(try edit("printf 'b\\n' > \"$2\"", variable: "VISUAL").exitCode == 0)
    #expect(try machine.run("coffer", "get", "api", "jane").output == Data("b\n".utf8))
  }

  @Test func `A version with the same value that comes while the editor is open is kept`() throws {
    let coffer = Machine.path(of: "coffer")
    let renamed = try edit("\(coffer) edit api jane --comment meanwhile >/dev/null; printf 'edited' > \"$2\"")
    #expect(renamed.exitCode == 0, "\(renamed)")
    #expect(try machine.coffer("get", "api", "jane") == "edited")
    #expect(try machine.coffer("show", "api", "jane").contains("meanwhile"))
    let replaced = try edit("printf other | \(coffer) set api jane; printf 'mine' > \"$2\"")
    #expect(replaced.exitCode == 1, "\(replaced)")
    #expect(try machine.coffer("get", "api", "jane") == "other")
    try removeKept(replaced)
  }

  /// Deletes the folder of a value that an outcome says was kept, and returns the value.
  @discardableResult
  private func removeKept(_ outcome: Machine.Outcome) throws -> String {
    let match = try #require(outcome.errors.firstMatch(of: /kept in (\/dev\/shm\/coffer-\w+)\/value\./))
    let folder = String(match.output.1)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(outcome.errors.contains("Then delete it with: rm -r \(folder)\n"), "\(outcome)")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/value")[.posixPermissions] as? Int
    #expect(mode == 0o600)
    return try String(contentsOfFile: "\(folder)/value", encoding: .utf8)
  }

  @Test(arguments: ["printf other | COFFER set api jane", "COFFER delete api jane"])
  func `A value that cannot be stored is kept in a private file, which the command names`(meanwhile: String) throws {
    let command = meanwhile.replacing("COFFER", with: Machine.path(of: "coffer"))
    let outcome = try edit("\(command) >/dev/null; printf 'typed\n' > \"$2\"")
    #expect(outcome.exitCode != 0 && outcome.errors.contains("set --class generic-password --from-file"), "\(outcome)")
    #expect(try removeKept(outcome) == "typed")
  }

  @Test func `A value that is no text is not given to an editor`() throws {
    _ = try machine.start("coffer", ["set", "bytes", "a"], input: Data([0xFF, 0])).wait()
    let outcome = try machine.run("coffer", "edit", "bytes", "a", "--value", environment: ["EDITOR": "false"])
    expectFailure(outcome, 2, "is not text", "coffer set SERVICE ACCOUNT --from-file FILE")
  }
}
