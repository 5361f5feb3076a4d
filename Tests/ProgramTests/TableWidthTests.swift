@testable import CofferTerminal
import CofferTestSupport
import Foundation
import Testing

/// Tables and help texts in narrow terminals.
@Suite struct TableWidthTests {
  private let pro = ["--app", "com.example.photo.pro"]

  private func lines(_ machine: Machine, _ arguments: [String], columns: Int) throws -> [String] {
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments, columns: columns)
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    return terminal.screen.split(separator: "\r\n").map(String.init)
  }

  @Test(arguments: [80, 110])
  func `list, history and rotate fit the terminal, and are whole in a pipe`(columns: Int) throws {
    let machine = try Machine.withExamples()
    let team = try machine.team()
    let service = "service-with-a-long-name.example.com"
    for account in ["jane", "an-account-with-a-name-that-is-as-long"] {
      try machine.succeed("coffer", ["set", service, account, "--label", "The label of this item"] + pro, input: "v")
    }
    try machine.coffer("app", "remove", "com.example.photo.free", "--yes")
    try machine.coffer("app", "remove", "com.example.photo.pro", "--yes")
    for arguments in [["list"], ["history", service, "jane"], ["rotate"]] {
      let shown = try lines(machine, arguments, columns: columns).filter { $0.contains("  ") }
      #expect(shown.count >= 2 && shown.allSatisfy { $0.count <= columns }, "\(shown)")
      // Nothing has the team, and the end of a group and of a writer is there.
      #expect(shown.allSatisfy { !$0.contains(team) }, "\(shown)")
      #expect(shown.dropFirst().allSatisfy { $0.contains("photo.pro") && $0.contains("laptop") } || columns < 110)
      let piped = try machine.succeed("coffer", arguments)
      #expect(piped.contains("\(team).com.example.photo.pro"), "\(piped)")
      #expect(arguments != ["list"] || piped.contains(service), "\(piped)")
    }
    // A wide terminal shortens nothing but the team.
    let wide = try lines(machine, ["list"], columns: 250)
    #expect(wide[1].contains("com.example.photo.pro on laptop") && wide[1].contains(service), "\(wide)")
  }

  @Test func `A text of any length makes its own line long, and no other`() throws {
    let long = String(repeating: "x", count: 8_192)
    let rows = [["GROUP", "LABEL", "ID"], ["g", "short", "1"], ["g", long, "2"], ["group", "", "3"]]
    let lines = Output.lines(of: rows)
    let label = String(repeating: " ", count: Output.maximumPaddedLength + Output.columnGap)
    #expect(lines[2] == "g      \(long)  2")
    #expect(lines[0] == "GROUP  LABEL" + label.dropFirst(5) + "ID")
    #expect(lines[3] == "group  " + label + "3")
    // Up to that length, columns are as wide as their widest cell.
    #expect(Output.lines(of: Array(rows[..<2])) == ["GROUP  LABEL  ID", "g      short  1"])
    let label1000 = String(long.prefix(1_000))
    let machine = try Machine.withExamples()
    for number in 1...20 { try machine.succeed("coffer", ["set", "s\(number)", "jane"] + pro, input: "v") }
    try machine.succeed("coffer", ["set", "long", "jane", "--label", label1000] + pro, input: "v")
    let piped = try machine.succeed("coffer", ["list"])
    #expect(piped.contains(label1000) && piped.utf8.count < 1_000 + 22 * 300, "\(piped.utf8.count)")
    let history = try machine.succeed("coffer", ["history", "long", "jane"])
    #expect(history.contains(label1000) && history.utf8.count < 1_000 + 2 * 300, "\(history.utf8.count)")
  }

  @Test func `Dates lose their seconds first, then groups their beginning and names their end`() {
    let rows = [
      ["GROUP", "NAME", "DATE", "ID"],
      ["com.example.a-long-group", "a-name-of-twenty-four-ch", "2026-11-21 00:35:31", "0123456789ab"],
    ]
    let columns: [TableColumn] = [.ending, .name, .date, .whole]
    func fitted(_ width: Int) -> [String] { TableColumn.fit(rows, columns, to: width)[1] }
    let whole = 24 + 24 + 19 + 12 + 6
    #expect(fitted(whole) == rows[1])
    #expect(fitted(whole - 1) == [rows[1][0], rows[1][1], "2026-11-21 00:35", rows[1][3]])
    #expect(fitted(whole - 5) == ["….example.a-long-group", rows[1][1], "2026-11-21 00:35", rows[1][3]])
    #expect(fitted(whole - 9)[1] == "a-name-of-twenty-four…")
    // At last, everything has the length of its heading, and the line wraps.
    #expect(fitted(10) == ["…g-group", "a-name-…", "2026-11-21", rows[1][3]])
    #expect(TableColumn.fit([["A"], ["b"]], [.name], to: 1) == [["A"], ["b"]])
  }

  @Test(arguments: CommandLineTests.commands)
  func `No line of a command's usage is longer than the terminal`(command: [String]) throws {
    let machine = try Machine()
    let help = try machine.succeed("coffer", command + ["--help"])
    let usage = help.components(separatedBy: "USAGE: ").last?.components(separatedBy: "\n\n").first ?? ""
    #expect(!usage.isEmpty && usage.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(usage)")
    // All options are there, each with its value.
    #expect(!usage.contains(/\[[^\]]*\n[^\]]*\]/), "\(usage)")
    let narrow = try lines(machine, command + ["--help"], columns: 60)
    #expect(narrow.allSatisfy { $0.count <= 60 || !$0.contains("[") }, "\(narrow)")
  }
}
