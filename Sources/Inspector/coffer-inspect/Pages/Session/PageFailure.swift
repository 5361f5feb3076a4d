internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// A request that cannot be answered, in the words of the page that says so.
struct PageFailure: Error, Sendable {
  let status: HTTPResponse.Status
  /// The heading of the page.
  let title: String
  /// What happened: one clause without a full stop. It never contains a secret.
  let message: String
  /// What to do, as an instruction; nil if there is no advice.
  let suggestion: String?

  init(_ status: HTTPResponse.Status, _ title: String, _ message: String, suggestion: String? = nil) {
    self.status = status
    self.title = title
    self.message = message
    self.suggestion = suggestion
  }

  /// Creates the failure for an error that a page has thrown.
  init(_ error: any Error) {
    switch error {
    case let failure as PageFailure: self = failure
    case let error as VaultError:
      let (status, title): (HTTPResponse.Status, String) =
        switch error.code {
        case .itemNotFound, .noVault: (.notFound, "This does not exist")
        case .itemChanged: (.conflict, "This was changed since you looked")
        case .duplicateItem, .vaultExists: (.conflict, "This exists already")
        case .notEntitled: (.forbidden, "You are not entitled to this")
        case .authenticationFailed, .authenticationCancelled, .readOnly: (.forbidden, "This is not allowed")
        case .locked: (.locked, "The vault is locked")
        case .invalidArgument: (.badRequest, "This cannot be stored")
        default: (.internalServerError, "This did not work")
        }
      self.init(status, title, error.message, suggestion: error.recoverySuggestion)
    case let failure as SyncFailure: self = Self.of(failure)
    case let error as HTTPError: self = Self.of(error.status)
    default: self = Self.of(.internalServerError)
    }
  }

  /// The failure for an address that no link of a page has.
  static func address(_ message: String) -> PageFailure {
    PageFailure(
      .badRequest, "This address is not complete or not correct", message,
      suggestion: "open the list again and choose its filters there")
  }

  /// The failure of a change that was to be on the remote before it counts.
  private static func of(_ failure: SyncFailure) -> PageFailure {
    // The last line says what ended the sync.
    let line = failure.messages.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
    let words = line.hasPrefix("coffer: ") ? String(line.dropFirst(8)) : line
    let reason = words.isEmpty ? "" : ": \(words.sanitizedForTerminal(limit: 600))"
    return PageFailure(
      .badGateway, "The remote does not have the change",
      "the sync failed with exit code \(failure.exitCode), so nothing was changed\(reason)")
  }

  static func of(_ status: HTTPResponse.Status) -> PageFailure {
    switch status {
    case .notFound: PageFailure(status, "There is no such page", "nothing has this address")
    case .contentTooLarge: PageFailure(status, "This is too large", "the form has more than 4 MiB")
    default: PageFailure(status, "This did not work", status.reasonPhrase.isEmpty ? "\(status)" : status.reasonPhrase)
    }
  }
}

extension HTTPResponse.Status {
  /// The vault is locked (RFC 4918).
  static let locked = HTTPResponse.Status(code: 423, reasonPhrase: "Locked")
}

/// The page for a request that cannot be answered: what happened, and what to do.
enum FailurePage {
  static func response(_ failure: PageFailure, for request: Request, context: InspectorContext) -> Response {
    if request.headers[.accept] == "application/json" {
      return .json(["message": words(failure)], status: failure.status)
    }
    return .page(
      Frame.plain(
        title: failure.title
      ) {
        p { advice(failure.message.asSentence) }
        if let suggestion = failure.suggestion { p { advice(suggestion.asSentence) } }
        if context.session != nil {
          nav(.class("actions"), .label("Ways on")) {
            if failure.status == .conflict, request.method == .post, let item = item(of: request) {
              linkButton("Look at the item again", to: item, style: "primary")
            }
            linkButton("Overview", to: PageAddress())
            linkButton("All items", to: PageAddress("items"))
          }
        }
        p(.class("hint")) { text("Status \(failure.status.code)") }
      }, status: failure.status)
  }

  /// The page of the item that a request would have changed.
  private static func item(of request: Request) -> PageAddress? {
    let parts = request.uri.path.split(separator: "/")
    guard parts.count > 2, parts[0] == "items" else { return nil }
    return PageAddress("items", String(parts[1]), String(parts[2]))
  }

  /// A failure in one or two sentences.
  static func words(_ error: any Error) -> String {
    let failure = PageFailure(error)
    return ([failure.message] + (failure.suggestion.map { [$0] } ?? [])).map(\.asSentence).joined(separator: " ")
  }
}
