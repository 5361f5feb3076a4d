internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault

struct BridgeCargoCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "cargo", abstract: "Answer cargo, which runs this as its credential provider.",
    discussion: "cargo writes what it wants to standard input, one JSON object in each line.")
  @Flag(help: "What cargo adds to the command line.")
  var cargoPlugin = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "cargo"

  private static let current = "config.toml"
  /// The earlier name, which cargo reads instead if both files exist.
  private static let former = "config"

  private static func file(_ name: String) -> UserFile {
    .inFolder(namedBy: "CARGO_HOME", name, or: .home(".cargo/\(name)"))
  }

  private static func isInstalled(in name: String, _ mark: String) throws(VaultError) -> Bool {
    try !ConfigurationText(file(name).read() ?? "", mark: mark).entries.isEmpty
  }

  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting] {
    let program = installation.program("cargo-credential-coffer")
    let isInCurrent = try isInstalled(in: current, installation.mark)
    let isCurrent = isInCurrent || isAbsent(Self.file(former).path)
    let file = Self.file(isCurrent ? current : former)
    return [
      program,
      // The last provider is asked first.
      installation.entry(
        "global-credential-providers", "[\"cargo:token\", \"coffer\"]", table: "registry", in: file),
      installation.entry("coffer", "[\(program.path.quotedForTOML)]", table: "credential-alias", in: file),
    ]
  }

  /// A file that somebody has made since, and that cargo reads instead.
  static func findings() throws(VaultError) -> [Finding] {
    let mark = BridgeInstallation(self, app: nil, group: nil, name: nil).mark
    guard try isInstalled(in: current, mark), try !isInstalled(in: former, mark), !isAbsent(file(former).path) else {
      return []
    }
    return .problem(
      .bridgeHiddenFile, subject: file(former).path,
      message: "cargo reads it instead of \(file(current).path), which has the entries for Coffer.",
      fix: "Move the entries to it: run `coffer bridge remove cargo`, and then: \(installCommand)")
  }

  func run() throws {
    try Terminal.write(Data("{\"v\":[1]}\n".utf8))
    let bridge = CargoBridge(actor: actor, group: group.group)
    var input = InputLines(of: STDIN_FILENO, maximumByteCount: 16 << 20)
    while let line = input.next() { try Terminal.write(bridge.answer(line)) }
    guard !input.isTooLong else {
      throw VaultError(
        .invalidArgument, "cargo's message has more than 16 MiB",
        recoverySuggestion: "use a version of cargo from 1.74 on")
    }
  }
}

extension String {
  /// The text as a basic string of TOML.
  var quotedForTOML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      if scalar == "\\" || scalar == "\"" {
        escaped += "\\\(scalar)"
      } else if scalar.value < 32 || scalar.value == 127 {
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }
}

/// Answers cargo as one of its credential providers, with version 1 of the protocol.
struct CargoBridge {
  let actor: ActorOptions
  let group: String?

  private struct Request: Decodable {
    struct Registry: Decodable {
      let indexURL: String

      enum CodingKeys: String, CodingKey { case indexURL = "index-url" }
    }

    let v: Int
    let kind: String
    let registry: Registry
    let token: String?
  }

  private struct Answer: Encodable {
    struct Success: Encodable {
      let kind: String
      var token: String?
      var cache: String?
      var operation_independent: Bool?
    }

    struct Failure: Encodable {
      let kind: String
      var message: String?
      var causes: [String]?

      enum CodingKeys: String, CodingKey { case kind, message, causes = "caused-by" }
    }

    var Ok: Success?
    var Err: Failure?
  }

  /// The account of a registry, whose items have the URL of its index as their service.
  private static let account = "cargo"

  /// Does what a message asks, and returns the answer, a line.
  func answer(_ message: [UInt8]) throws -> Data {
    let answer: Answer
    do throws(VaultError) {
      answer = try self.answer(to: message)
    } catch {
      answer = Answer(Err: Answer.Failure(kind: "other", message: error.description, causes: []))
    }
    return try Output.jsonLine(answer)
  }

  private func answer(to message: [UInt8]) throws(VaultError) -> Answer {
    guard let request = try? JSONDecoder().decode(Request.self, from: Data(message)), request.v == 1 else {
      throw VaultError(
        .invalidArgument, "cargo's message is not one of version 1 of its protocol",
        recoverySuggestion: "use a version of cargo from 1.74 on")
    }
    let index = request.registry.indexURL
    let item = GenericPassword(service: index, account: Self.account)
    if ["get", "logout"].contains(request.kind), try actor.isVaultAbsent() {
      return Answer(Err: Answer.Failure(kind: "not-found"))
    }
    switch request.kind {
    case "get":
      let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
      guard let value = try vault.value(for: item, in: group) else {
        return Answer(Err: Answer.Failure(kind: "not-found"))
      }
      let found = BridgeValue(value, of: index, Self.account, for: "cargo")
      let token = try found.textLine()
      guard !token.isEmpty else { throw found.refusal("is empty") }
      return Answer(Ok: Answer.Success(kind: "get", token: token, cache: "session", operation_independent: true))
    case "login":
      let token = if let given = request.token { given } else { try typedToken(for: index) }
      guard !token.isEmpty else {
        throw VaultError(
          .invalidArgument, "the token for \(index.sanitizedForTerminal(limit: .max)) is empty; nothing was stored",
          recoverySuggestion: "run cargo login again with the token of the registry")
      }
      let vault = try actor.openForBridge(for: .writing(group), group: group)
      // The same again is no new version.
      if try vault.bytesToCompare(for: item, in: group) != Array(token.utf8) {
        try vault.set(token, for: item, in: group)
      }
      return Answer(Ok: Answer.Success(kind: "login"))
    case "logout":
      guard try actor.deleteForBridge(index, Self.account, group: group) else {
        return Answer(Err: Answer.Failure(kind: "not-found"))
      }
      return Answer(Ok: Answer.Success(kind: "logout"))
    default: return Answer(Err: Answer.Failure(kind: "operation-not-supported"))
    }
  }

  private func typedToken(for index: String) throws(VaultError) -> String {
    let typed = try Terminal.askHidden(
      "Token for \(index.sanitizedForTerminal(limit: .max))", for: "the token",
      otherwise: "give it to cargo login on standard input")
    return unsafe typed.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
