internal import Hummingbird

/// The page for a request that cannot be answered.
enum FailurePage {
  static func response(_ failure: PageFailure, for request: Request, context: InspectorContext) -> Response {
    PlainPage.response(
      title: PlainPage.escape(failure.title),
      body: "<p>\(PlainPage.escape(failure.message + (failure.suggestion.map { "; \($0)" } ?? "")))</p>",
      status: failure.status)
  }
}
