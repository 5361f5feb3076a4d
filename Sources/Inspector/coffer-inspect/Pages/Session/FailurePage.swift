internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import HTTPTypes
internal import Hummingbird

/// The page for a request that cannot be answered: what happened, and what to do.
enum FailurePage {
  static func response(_ failure: PageFailure, for request: Request, context: InspectorContext) -> Response {
    if request.headers[.accept] == "application/json" {
      return .json(["message": words(failure)], status: failure.status)
    }
    return .page(
      Frame.plain(
        title: failure.title,
        content: joined {
          h1 { text(failure.title) }
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
        }), status: failure.status)
  }

  /// The page of the item that a request would have changed.
  private static func item(of request: Request) -> PageAddress? {
    let parts = request.uri.path.split(separator: "/")
    guard parts.count > 2, parts[0] == "items" else { return nil }
    return PageAddress("items", String(parts[1]), String(parts[2]))
  }

  /// A failure in one or two sentences.
  static func words(_ failure: PageFailure) -> String {
    ([failure.message] + (failure.suggestion.map { [$0] } ?? [])).map(\.asSentence).joined(separator: " ")
  }
}
