internal import ArgumentParser
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct EnvCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env", abstract: "Print the variables of a project for direnv.",
    discussion: """
      Reads a file with NAME=REFERENCE in each line, which can be committed: it refuses any text that is no reference. Prints \
      a line for each variable that a shell evaluates. In .envrc:

        watch_file .coffer.env
        eval "$(coffer env)"

      `direnv allow` approves .envrc, and not what this file names: a reference that a commit of somebody else adds to it is \
      in your shell, and in every program that you start there, without a question. Programs can take their variables \
      from such a file with `coffer run --env-file` too, one by one: prefer that.
      """)
  @Argument(
    help: ArgumentHelp("The file. Default: \(VariableFile.manifest) in the working directory.", valueName: "file"),
    completion: .file())
  var file: String?
  @OptionGroup var references: ReferenceOptions
  @OptionGroup var actor: ActorOptions
  @Flag(help: "Print JSON: the variables with their references and values.")
  var json = false

  func run() throws {
    guard !Terminal.isOutput else {
      throw VaultError(
        .invalidArgument, "the terminal would show the values; nothing was read",
        recoverySuggestion: "let a shell evaluate the output, or print one value with: coffer read REFERENCE")
    }
    let variables = try VariableFile.read(file ?? VariableFile.manifest, references.readMap(), allowsTexts: false)
    let requests = variables.compactMap { variable -> SecretReader.Request? in
      guard case .reference(let reference) = variable.content else { return nil }
      return SecretReader.Request(reference: reference, place: "\(variable.name) in \(variable.place)")
    }
    let values = requests.isEmpty ? [] : try SecretReader(actor).read(requests)
    if json {
      return try Output.json(
        zip(variables, zip(requests, values)).map { variable, found in
          let object: JSONObject = ["name": variable.name, "secretReference": found.0.reference.text]
          return object.including(JSONObject.value(found.1))
        })
    }
    for (variable, value) in zip(variables, values) {
      guard !value.contains(0) else {
        throw VaultError(
          .invalidArgument, "\(variable.name) in \(variable.place): the value has a NUL, which no variable can have",
          recoverySuggestion: "start the program with: coffer run --file \(variable.name)=coffer://… -- COMMAND")
      }
    }
    var output = Data()
    for (variable, value) in zip(variables, values) {
      output += Data("export \(variable.name)='".utf8)
      // As bytes: a value need not be text. In single quotes, only "'" means something to a shell.
      for byte in value { output += byte == UInt8(ascii: "'") ? Data("'\\''".utf8) : Data([byte]) }
      output += Data("'\n".utf8)
    }
    try Terminal.write(output)
  }
}
