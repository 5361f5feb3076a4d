internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph", abstract: "Print a picture of who reads what as SVG: coffer graph > vault.svg",
    discussion: """
      The picture shows the registered apps, the machines on which they have keys, and what each may do in each access \
      group. It contains names and numbers of items, but no item.

      Without an option, it is a graph or, if that would not be legible, a matrix. Needs no passphrase.
      """)
  @Flag(help: "Draw a matrix: apps in rows, access groups in columns.")
  var matrix = false
  @Flag(help: "Draw a graph, also if it has many lines.")
  var graph = false
  @Flag(help: "Print the facts as JSON instead of a picture.")
  var json = false
  @Flag(help: "Print the picture even if standard output is a terminal.")
  var force = false

  func validate() throws {
    guard [matrix, graph, json].filter({ $0 }).count <= 1 else {
      throw ValidationError("give only one of --matrix, --graph and --json")
    }
  }

  func run() throws {
    guard json || force || !Terminal.isOutput else {
      throw VaultError(
        .invalidArgument, "standard output is a terminal, and the picture is an SVG file",
        recoverySuggestion: "write it to a file with: coffer graph > vault.svg")
    }
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let facts = try AccessFacts.read(from: local, withActivity: false)
    guard !json else { return try Output.json(facts.graph) }
    let form: AccessDrawing.Form = matrix ? .matrix : graph ? .graph : .automatic
    try Terminal.write(Data(AccessDrawing(of: facts.graph, as: form).svg.utf8))
  }
}
