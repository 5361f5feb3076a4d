internal import CofferAgent
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The variables with which `coffer run` starts a program.
struct SecretEnvironment {
  private struct Variable {
    let name: String
    let value: Data
    let isSecret: Bool
  }

  private let variables: [Variable]
  private let files: [Variable]

  /// The largest value of a variable that the kernel passes on, in bytes, with the name and "=".
  private static let maximumByteCount = 131_071

  /// Reads the values that the options of a command name. Throws `invalidArgument` for a value that no variable can
  /// have.
  static func read(_ command: RunCommand) throws(VaultError) -> SecretEnvironment {
    let map = try command.references.readMap()
    var contents: [(name: String, content: VariableFile.Content, place: String)] = []
    func put(_ name: String, _ content: VariableFile.Content, _ place: String) {
      contents.removeAll { $0.name == name }
      contents.append((name, content, place))
    }
    for file in command.envFile {
      for variable in try VariableFile.read(file, map, allowsTexts: true) {
        put(variable.name, variable.content, "\(variable.name) in \(variable.place)")
      }
    }
    func reference(_ assignment: SecretAssignment) throws(VaultError) -> SecretReference {
      do throws(VaultError) {
        return try map.reference(assignment.reference)
      } catch {
        throw error.at(assignment.name)
      }
    }
    for assignment in command.variables { put(assignment.name, .reference(try reference(assignment)), assignment.name) }
    for assignment in command.files { contents.removeAll { $0.name == assignment.name } }
    let given = Set(contents.map(\.name) + command.files.map(\.name))
    for (name, reference) in try inheritedReferences(besides: given, map, command) {
      contents.append((name, .reference(reference), "\(name) in the environment"))
    }
    var requests: [SecretReader.Request] = []
    for (_, content, place) in contents {
      if case .reference(let reference) = content { requests.append(.init(reference: reference, place: place)) }
    }
    for file in command.files { requests.append(.init(reference: try reference(file), place: file.name)) }
    var values = requests.isEmpty ? [] : try SecretReader(command.actor, to: .use).read(requests)[...]
    var variables: [Variable] = []
    for (name, content, place) in contents {
      switch content {
      case .text(let text): variables.append(Variable(name: name, value: Data(text.utf8), isSecret: false))
      case .reference:
        let variable = Variable(name: name, value: values.removeFirst(), isSecret: true)
        try check(variable, place)
        variables.append(variable)
      }
    }
    return SecretEnvironment(
      variables: variables,
      files: command.files.map { Variable(name: $0.name, value: values.removeFirst(), isSecret: true) })
  }

  /// Returns the references that the variables of this process have, as `op run` of 1Password reads them: a program
  /// must not take a reference for a secret. Two kinds stay as they are, of which a note is printed: those of 1Password
  /// without a map, which its own program may read, and all with `--deny-reads`, whose program gets only what a person
  /// has named.
  private static func inheritedReferences(
    besides given: Set<String>, _ map: ReferenceMap, _ command: RunCommand
  ) throws(VaultError) -> [(name: String, reference: SecretReference)] {
    var found: [(name: String, reference: SecretReference)] = []
    for (name, text) in CurrentProcess.environment.sorted(by: { $0.key < $1.key })
    where ReferenceMap.isReference(text) && !given.contains(name) {
      let shown = name.sanitizedForTerminal()
      let isForeign = text.hasPrefix(ReferenceMap.foreignScheme)
      if command.denyReads {
        Terminal.printNote(
          "\(shown) in the environment stays a reference; give its value with --env \(shown)=REFERENCE")
      } else if isForeign, command.references.map == nil {
        Terminal.printNote(
          "\(shown) in the environment stays a reference of 1Password; say what it stands for with --map")
      } else {
        found.append(
          (name, try VaultError.at("\(shown) in the environment") { () throws(VaultError) in try map.reference(text) }))
      }
    }
    return found
  }

  private static func check(_ variable: Variable, _ place: String) throws(VaultError) {
    let reason: String
    if variable.value.contains(0) {
      reason = "has a NUL, which no variable can have"
    } else if variable.value.count + variable.name.utf8.count + 1 > maximumByteCount {
      reason = "is larger than a variable can be (128 KiB)"
    } else {
      return
    }
    throw VaultError(
      .invalidArgument, "\(place): the value \(reason)",
      recoverySuggestion: "give the program a file in memory: --file \(variable.name)=coffer://…")
  }

  /// The variables with paths of files in memory.
  var heldNames: Set<String> { Set(files.map(\.name)) }

  /// What is not to be shown: the values without the newlines at their end, which shells leave out.
  var maskedValues: [[UInt8]] { (variables.filter(\.isSecret) + files).map(Self.maskedValue) }

  /// The names of the values that are too short to be masked.
  var unmaskedNames: [String] {
    (variables.filter(\.isSecret) + files)
      .filter { Self.maskedValue($0).count < OutputMask.minimumByteCount }.map(\.name)
  }

  private static func maskedValue(_ variable: Variable) -> [UInt8] {
    let bytes = Array(variable.value)
    return Array(bytes.prefix((bytes.lastIndex { $0 != 10 && $0 != 13 } ?? -1) + 1))
  }

  /// Sets the variables. The program takes the place of this process, or will be another one.
  func set(inThisProcess: Bool) throws(SystemError) {
    for variable in variables { CurrentProcess.setVariable(variable.name, to: variable.value) }
    for variable in files {
      let file = try MemoryFile.create(Array(variable.value))
      let path = inThisProcess ? file.path(inProcess: getpid()) : file.unnamedPath
      CurrentProcess.setVariable(variable.name, to: path.utf8)
    }
  }
}
