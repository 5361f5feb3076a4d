internal import Coffer
internal import CofferInspection
internal import CofferSystem
internal import CofferVault
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
    /// The full identifier of the app whose rights the pages have; nil for the owner. Known when a page is made.
    fileprivate(set) var app: String?

    /// Throws ``PageFailure`` if the address cannot be decoded: without one of its parts it would name something else.
    init(_ request: Request, _ context: InspectorContext) throws {
      guard let query = request.uri.query.map({ InspectorForm(ByteBuffer(string: $0)) }) ?? InspectorForm() else {
        throw PageFailure.address("the part of the address after the question mark is not encoded correctly")
      }
      if let name = query.firstNameWithoutText {
        throw PageFailure.address("the address has a value for “\(DisplayText(name, limit: 40).text)” that is not text")
      }
      self.query = query
      form = context.form
      csrf = context.session?.csrfToken ?? ""
      var path: [String: String] = [:]
      for (name, part) in context.parameters {
        guard let text = PercentEscapes.decode(part).flatMap({ String(validating: $0, as: UTF8.self) }) else {
          throw PageFailure.address("the path of the address is not encoded correctly")
        }
        path[String(name)] = path[String(name)] ?? text
      }
      self.path = path
    }

    func parameter(_ name: String) -> String? { query[name] }

    /// The list that the address leads back to; for the page of an item with its group.
    func list(ofItemIn group: String? = nil) throws(PageFailure) -> ListPlace? {
      try ListPlace(query, ofItemIn: group)
    }
  }

  /// What a request is answered with: the next page, or this one, for a form with what has to be changed in it.
  enum Answer: Sendable {
    case done(PageAddress)
    case show(Page, HTTPResponse.Status)
  }

  /// Answers with a page or with the address of the next one. `answer` reads or changes the vault, and may block.
  func answer(
    _ request: Request, _ context: InspectorContext, ownerOnly: Bool = false,
    _ answer: @escaping @Sendable (InspectedVault, Visit) throws -> Answer
  ) async throws -> Response {
    if ownerOnly { try requireOwner() }
    let received = try Visit(request, context)
    return try await inspector.withVault { vault in
      var visit = received
      visit.names = try vault.names
      visit.app = vault.vault.applicationIdentifier
      switch try answer(vault, visit) {
      case .done(let address): return .redirect(to: address)
      case .show(var page, let status):
        page.notice = page.notice ?? Done.notice(visit.parameter, csrf: visit.csrf, list: page.list)
        let frame = Frame(vault: try vault.menu(), app: visit.app.map(visit.names.short), csrf: visit.csrf)
        return .page(frame.document(page), status: status)
      }
    }
  }

  /// The failure of a request whose form or address lacks something.
  static let malformed = PageFailure(
    .badRequest, "This did not work", "the form is incomplete", suggestion: "reload the page and try again")
}

/// Registers what answers the addresses of pages. The closures read or change the vault, and may block.
struct PageRoutes {
  typealias Handler<Result> = @Sendable (InspectedVault, Pages.Visit) throws -> Result

  let pages: Pages
  let router: RouterGroup<InspectorContext>

  /// Answers with a page.
  func page(_ path: RouterPath, ownerOnly: Bool = false, _ make: @escaping Handler<Page>) {
    get(path, ownerOnly: ownerOnly) { vault, visit in .show(try make(vault, visit), .ok) }
  }

  /// Answers with a page or with the address of the page to look at.
  func get(_ path: RouterPath, ownerOnly: Bool = false, _ answer: @escaping Handler<Pages.Answer>) {
    router.get(path) { [pages] in try await pages.answer($0, $1, ownerOnly: ownerOnly, answer) }
  }

  /// Answers a form with the next page, or with itself and what has to be changed in it.
  func form(_ path: RouterPath, ownerOnly: Bool = false, _ answer: @escaping Handler<Pages.Answer>) {
    router.post(path) { [pages] in try await pages.answer($0, $1, ownerOnly: ownerOnly, answer) }
  }

  /// Changes the vault, and leads to the page that shows the result.
  func change(_ path: RouterPath, _ change: @escaping Handler<PageAddress>) {
    form(path) { vault, visit in .done(try change(vault, visit)) }
  }
}

/// Registers the pages with the routes of requests with a session. The vault is unlocked when a page is called.
func addPages(to router: RouterGroup<InspectorContext>, of inspector: Inspector) {
  let pages = Pages(inspector: inspector)
  let routes = PageRoutes(pages: pages, router: router)
  pages.addLists(to: routes)
  pages.addCreation(to: routes)
  pages.addItems(to: routes)
  pages.addItemForms(to: routes)
  pages.addHealth(to: routes)
  pages.addTransfer(to: routes)
  pages.addConflicts(to: routes)
  pages.addAccess(to: routes)
  pages.addRevocation(to: routes)
  pages.addPairing(to: routes)
  pages.addPassphrase(to: routes)
  pages.addSync(to: routes)
}

/// The pages that only the owner sees. An app, with `--app`, sees its own groups and nothing else of the vault.
extension Pages {
  /// Throws the failure of a page that only the owner sees, if the pages are those of an app.
  func requireOwner() throws(PageFailure) {
    guard inspector.isOwner else { throw Self.ownerOnly }
  }

  /// The failure of a request of an app for what only the owner sees. It says nothing of whether that exists.
  static let ownerOnly = PageFailure(
    .forbidden, "Only the owner sees this", "coffer inspect was started with --app and shows what that app may see",
    suggestion: "start it without --app: coffer inspect")
}
