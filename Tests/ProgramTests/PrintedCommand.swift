import ArgumentParser
import CofferTestSupport
import Foundation

@testable import CofferProgram

/// A command line of `coffer` in a text that a person reads, with samples in place of what varies.
struct PrintedCommand: Hashable {
  /// The file, below the root of the repository.
  let file: String
  /// The words after `coffer`.
  let text: String

  /// Values of the form that a command demands, for placeholders that people replace.
  private static let samples = [
    "IDENTIFIER": String(repeating: "0", count: 32), "…": "sample",
    "NAME=REFERENCE": "A=coffer:///a",
    "REFERENCE": "coffer:///service/account", "SOURCE": "pass",
  ]

  /// What an interpolation or the output of another command can stand for: any text, an identifier, or a bridge.
  private static let variables = [SourceText.sample, String(repeating: "0", count: 32), "git"]

  /// Why `coffer` does not understand the command; nil if it does.
  var mistake: String? {
    var first: String?
    for line in lines {
      guard let mistake = mistake(in: line) else { return nil }
      first = first ?? mistake
    }
    return first
  }

  /// The command with each of the variables.
  private var lines: [String] {
    let lines = Self.variables.map { value in
      text.replacing(/\$\([^)]*\)/, with: value).replacing(SourceText.sample, with: value)
    }
    return lines[0] == lines[1] ? [lines[0]] : lines
  }

  /// A name without arguments, such as `coffer set` and `coffer run --mask`, stands for the command or the option
  /// itself.
  private func mistake(in text: String) -> String? {
    var words = shellWords(text).map { Self.samples[$0] ?? $0 }[...]
    // The parser builds whatever is below the command that it is asked for, which takes 30 ms for all of coffer.
    var command: any ParsableCommand.Type = CofferCommand.self
    while let name = words.first,
      let next = command.configuration.subcommands.first(where: { $0.names.contains(name) })
    {
      command = next
      words.removeFirst()
    }
    do {
      _ = try command.parseAsRoot(Array(words))
      return nil
    } catch {
      let isName = text.allSatisfy { $0.isLowercase || $0 == "-" || $0 == " " }
      let message = command.message(for: error)
      guard command.exitCode(for: error) != .success else { return nil }
      let isWrong = ["Unknown", "Unexpected", "The value"].contains(where: message.hasPrefix)
      return isName && !isWrong ? nil : message
    }
  }

  // MARK: Where they are

  /// The table of wrong commands, each with what is meant: `UnknownCommandTests` types them.
  private static let mistakes = "UnknownCommand.swift"

  /// Returns the commands in the texts of the programs: errors, advice and help.
  static func inSources() throws -> [PrintedCommand] {
    try files(below: "Sources", ending: "swift").filter { $0.lastPathComponent != mistakes }.flatMap { file in
      let source = try String(contentsOf: file, encoding: .utf8)
      guard source.contains("coffer ") else { return [PrintedCommand]() }
      return SourceText.literals(in: source).flatMap { commands(in: $0) }.map {
        PrintedCommand(file: name(of: file), text: $0)
      }
    }
  }

  /// Returns the commands in the pages: those of consoles, and those between backquotes.
  static func inPages() throws -> [PrintedCommand] {
    let pages = try files(below: "Sources", ending: "md") + [DocumentationPage.root.appending(path: "README.md")]
    return try pages.flatMap { page in
      var commands: [String] = []
      var isCode = false
      let text = try String(contentsOf: page, encoding: .utf8).replacing(" \\\n", with: " ")
      for line in text.split(separator: "\n") {
        if line.hasPrefix("```") {
          isCode.toggle()
        } else if isCode {
          commands += line.matches(of: /^(?:[a-z]*\$ )?(?:sudo )?coffer ([a-z].*)/).map { String($0.1) }
        } else if line.hasPrefix("    ") {
          commands += line.matches(of: /^ *(?:sudo )?coffer ([a-z].*)/).map { String($0.1) }
        } else {
          commands += line.matches(of: /`(?:sudo )?coffer ([a-z][^`]*)`/).map { String($0.1) }
        }
      }
      return commands.map { PrintedCommand(file: name(of: page), text: $0) }
    }
  }

  private static func files(below folder: String, ending: String) throws -> [URL] {
    let root = DocumentationPage.root.appending(path: folder)
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == ending }
  }

  private static func name(of file: URL) -> String {
    file.path.replacing(DocumentationPage.root.path + "/", with: "")
  }

  /// Returns what a text tells a person to run: what is between backquotes, after a colon, or a line by itself. A text
  /// of one line that begins with `coffer` is a sentence about it.
  private static func commands(in text: String) -> [String] {
    let isLong = text.contains("\n")
    return text.split(separator: "\n").flatMap { line in
      let quoted = line.matches(of: /`(?:sudo )?coffer ([a-z][^`]*)`/).map { String($0.1) }
      let rest = line.replacing(/`[^`]*`/, with: "``")
      let plain = rest.matches(of: /(: |^ *)(?:sudo )?coffer ([a-z].*?)(?:$|; |, |\. |\.$|\)| && | \|)/)
        .filter { isLong || $0.1.hasPrefix(":") }.map { String($0.2) }
      return quoted + plain
    }
  }
}

/// Returns the words of a simple command as a shell reads them, without what it does with other programs and files.
private func shellWords(_ line: String) -> [String] {
  var words: [String] = []
  var word: String?
  var quote: Character?
  for character in line {
    switch (quote, character) {
    case (nil, " "):
      if let word { words.append(word) }
      word = nil
    case (nil, "'"), (nil, "\""):
      quote = character
      word = word ?? ""
    case (let open?, character) where open == character: quote = nil
    default: word = (word ?? "") + String(character)
    }
  }
  if let word { words.append(word) }
  return Array(words.prefix { !["|", "<", ">", "&&", ";", "||", "#", "2>"].contains($0) })
}

extension ParsableCommand {
  fileprivate static var names: [String] { [_commandName] + configuration.aliases }
}
