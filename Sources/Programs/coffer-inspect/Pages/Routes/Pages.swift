internal import Coffer
internal import CofferInspection
internal import CofferVault
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Answers the requests of pages: reads what a page needs on a thread that may block, and puts the frame around it.
struct Pages: Sendable {
  let inspector: Inspector

  /// What a page may use of its request.
  struct Visit: Sendable {
    /// The decoded query of the address.
    let query: InspectorForm
    /// The fields of the form that was sent.
    let form: InspectorForm
    let csrf: String
    /// The parts of the path that have a name.
    let path: [String: String]
    /// Shortens names by the vault's team, which is known when a page is made.
    fileprivate(set) var names = TeamNames(team: "")

    init(_ request: Request, _ context: InspectorContext) {
      query = request.uri.query.flatMap { InspectorForm(ByteBuffer(string: $0)) } ?? InspectorForm()
      form = context.form
      csrf = context.session?.csrfToken ?? ""
      path = Dictionary(
        context.parameters.map { (String($0.key), $0.value.removingPercentEncoding ?? String($0.value)) },
        uniquingKeysWith: { first, _ in first })
    }

    /// Returns a parameter of the query.
    func parameter(_ name: String) -> String? { query[name] }
  }

  /// Answers with a page.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: Its session and form.
  ///   - make: Reads the vault and makes the page. It may block.
  /// - Returns: The document.
  /// - Throws: `VaultError`, ``PageFailure``.
  func show(
    _ request: Request, _ context: InspectorContext,
    _ make: @escaping @Sendable (InspectedVault, Visit) throws -> Page
  ) async throws -> Response {
    try await answer(request, context) { vault, visit in .show(try make(vault, visit), .ok) }
  }

  /// What a form answers: the next page, or itself with what has to be changed in it.
  enum Answer: Sendable {
    case done(PageAddress)
    case show(Page, HTTPResponse.Status)
  }

  /// Answers with a page or with the address of the next one, as ``show(_:_:_:)``.
  func answer(
    _ request: Request, _ context: InspectorContext,
    _ answer: @escaping @Sendable (InspectedVault, Visit) throws -> Answer
  ) async throws -> Response {
    let received = Visit(request, context)
    return try await inspector.withVault { vault in
      let overview = try Overview.read(from: vault.local, checksStore: false)
      let readable = Set(try vault.vault.accessGroups.map(\.name))
      var visit = received
      visit.names = TeamNames(team: overview.status.team)
      switch try answer(vault, visit) {
      case .done(let address): return .redirect(to: address)
      case .show(var page, let status):
        page.notice = page.notice ?? Done.notice(visit.parameter, csrf: visit.csrf)
        return .page(Self.frame(overview, readable: readable, csrf: visit.csrf).document(page), status: status)
      }
    }
  }

  /// Changes the vault, and leads to the page that shows the result.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: Its session and form.
  ///   - change: Changes the vault and returns the address of the next page. It may block.
  /// - Returns: A redirection.
  /// - Throws: `VaultError`, ``PageFailure``.
  func change(
    _ request: Request, _ context: InspectorContext,
    _ change: @escaping @Sendable (InspectedVault, Visit) throws -> PageAddress
  ) async throws -> Response {
    let visit = Visit(request, context)
    return .redirect(to: try await inspector.withVault { vault in try change(vault, visit) })
  }

  /// The menu of a vault, with the groups that the owner or the app can read.
  private static func frame(_ overview: Overview, readable: Set<String>, csrf: String) -> Frame {
    let groups = overview.groups.filter { readable.contains($0.id) }
    return Frame(
      team: overview.status.team,
      groups: groups.map { Frame.Group(name: $0.id, title: $0.name, count: $0.itemCount) },
      conflicts: groups.reduce(0) { $0 + $1.conflictCount }, csrf: csrf)
  }

  /// The failure of a request whose form or address lacks something.
  static let malformed = PageFailure(
    .badRequest, "This did not work", "the form is incomplete", suggestion: "reload the page and try again")
}
