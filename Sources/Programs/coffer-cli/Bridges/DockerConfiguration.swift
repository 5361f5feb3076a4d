internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The helper of docker, podman and skopeo, and its entry in their configuration.
enum DockerConfiguration {
  private static let helper = "coffer"
  private static let key = "credsStore"
  private static let mark = "# Written by: coffer bridge install docker"

  /// The program that docker runs, by its name in PATH.
  private static var program: String { "\(home)/.local/bin/docker-credential-\(helper)" }

  private static var home: String { CurrentProcess.environment["HOME"] ?? "/" }

  private static var file: String {
    let folder = CurrentProcess.environment["DOCKER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    return "\(folder ?? "\(home)/.docker")/config.json"
  }

  static func install(_ command: String) throws(VaultError) -> [String] {
    var configuration = try read()
    if case .string(let other)? = configuration[key], other != helper {
      throw VaultError(
        .invalidArgument, "docker uses another store of credentials: \(other.sanitizedForTerminal())",
        recoverySuggestion: "remove the entry \(key) from \(file.shellWord), then try again")
    }
    try makeFolder(program.parentFolder)
    try ReplacedFile.write(Array("#!/bin/sh\n\(mark)\nexec \(command) \"$@\"\n".utf8), to: program, mode: 0o755)
    configuration[key] = .string(helper)
    try makeFolder(file.parentFolder)
    try write(configuration)
    let folders = (CurrentProcess.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    if !folders.contains(program.parentFolder) {
      Terminal.printNote("docker finds the program only if PATH has \(program.parentFolder)")
    }
    return [program, "\(key) = \(helper) in \(file)"]
  }

  static func remove() throws(VaultError) -> [String] {
    var removed: [String] = []
    var configuration = try read()
    if configuration[key] == .string(helper) {
      configuration[key] = nil
      try write(configuration)
      removed.append("\(key) = \(helper) in \(file)")
    }
    if try installedCommand() != nil {
      guard unsafe unlink(program) == 0 else { throw systemFailure("remove \(program)") }
      removed.append(program)
    }
    return removed
  }

  static func installedCommand() throws(VaultError) -> String? {
    guard !isAbsent(program) else { return nil }
    let text = String(decoding: try SecretInput.contents(of: program, what: "program"), as: UTF8.self)
    let lines = text.split(separator: "\n")
    guard lines.count == 3, lines[1] == mark, lines[2].hasPrefix("exec ") else { return nil }
    return String(lines[2].dropFirst("exec ".count).dropLast(" \"$@\"".count))
  }

  private static func read() throws(VaultError) -> [String: JSONValue] {
    guard !isAbsent(file) else { return [:] }
    let contents = try SecretInput.contents(of: file, what: "file")
    guard !contents.isEmpty else { return [:] }
    guard case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: contents) else {
      throw VaultError(
        .invalidArgument, "\(file.sanitizedForTerminal()) is no JSON object; nothing was changed",
        recoverySuggestion: "repair or remove the file, then try again")
    }
    return members
  }

  private static func write(_ members: [String: JSONValue]) throws(VaultError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try ReplacedFile.write(Array(encoder.encode(JSONValue.object(members))) + [10], to: file)
    } catch {
      throw VaultError(translating: error)
    }
  }

  private static func makeFolder(_ path: String) throws(VaultError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw VaultError(
        .io, "cannot make the folder \(path.sanitizedForTerminal())",
        recoverySuggestion: "check the owner and the mode of the folder above")
    }
  }
}
