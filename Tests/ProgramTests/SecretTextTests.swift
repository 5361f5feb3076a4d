import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferProgram

/// The rules by which files of variables and templates are read: a reference is resolved or refused, and never passed
/// on.
@Suite struct SecretTextTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The values of a file's variables: a text as it is, and "reference" for one of Coffer.
  private func values(_ text: String) throws -> [String] {
    let file = try folder.write("variables.env", text)
    return try VariableFile.read(file, .empty, allowsTexts: true).map { variable in
      switch variable.content {
      case .reference: "reference"
      case .text(let text): text
      }
    }
  }

  private func refusal(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("A=\"coffer:///db.example.com/app\" # production", "reference"), ("A='coffer:///a/b'\t#", "reference"),
    ("A=coffer:///a/b # text", "reference"), ("A= coffer:///a/b", "reference"), ("A=one # two", "one"),
    ("A=a#b", "a#b"), ("A=#b", "#b"), ("A= # remark", ""), ("A=\"one # two\" # three", "one # two"),
    ("A='it is \\'", "it is \\"), ("A=\"a \\\" b\"", "a \\\" b"), ("A='shop://x'", "shop://x"),
    ("\u{FEFF}A=first", "first"),
  ])
  func `A value in a file of variables ends at its quote or its comment`(line: String, value: String) throws {
    #expect(try values(line) == [value])
  }

  @Test(arguments: [
    ("A=\"op://shop/db/password\" # production", "op://shop/db/password of 1Password"),
    ("A='one'two", "text follows the closing quote"), ("A='one'#two", "text follows the closing quote"),
    ("A=\"one", "has no end"), ("A=\"one\\\"", "has no end"),
    ("A=postgres://u:coffer:///a/b@host", "a reference inside of a text"),
    ("A=\"user op://v/i/f\"", "a reference inside of a text"),
  ])
  func `A reference that would be passed on as a text is refused, and so is an ambiguous value`(
    line: String, part: String
  ) {
    let refused = refusal { _ = try values("# remark\n\(line)") }
    #expect(refused.contains("line 2 of") && refused.contains(part), "\(refused)")
  }

  @Test func `A template resolves a reference of 1Password without braces, and refuses one of Coffer`() throws {
    let map = try ReferenceMap.read(try folder.write("map", "op://v/i/f coffer:///a/b\n"))
    func filled(_ template: String) throws -> String {
      let read = try SecretTemplate(Array(template.utf8), path: "-", map)
      let values = read.requests.map { _ in Data("VALUE".utf8) }
      return String(decoding: read.filled(with: values), as: UTF8.self)
    }
    #expect(try filled("p: op://v/i/f\nq: \"op://v/i/f\", {{ op://v/i/f }}") == "p: VALUE\nq: \"VALUE\", VALUE")
    #expect(try filled("shop://v/i/f, {{ shop://x }} {{\t op://v/i/f\t}}") == "shop://v/i/f, {{ shop://x }} VALUE")
    let unknown = refusal { _ = try filled("\np: op://shop/db/password") }
    #expect(
      unknown.contains("line 2 of standard input: the reference op://shop/db/password of 1Password"), "\(unknown)")
    for template in ["x\np: coffer:///a/b", "x\n{ coffer:///a/b }", "x\n{{ .x }} coffer:///a/b"] {
      let refused = refusal { _ = try filled(template) }
      #expect(refused.contains("line 2 of standard input: the reference is not in double braces"), "\(refused)")
    }
  }
}
