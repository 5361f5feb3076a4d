internal import ArgumentParser
internal import Coffer
internal import Foundation

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print an item's value.",
    discussion: "The value is written to standard output unchanged. A newline follows only on a terminal.")
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    guard let value = try actor.open().value(for: names.password, in: group.group) else { throw names.notFound }
    try Terminal.write(value + (Terminal.isOutput ? Data("\n".utf8) : Data()))
  }
}
