internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(answer) + [10]
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
