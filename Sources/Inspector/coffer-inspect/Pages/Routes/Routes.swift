internal import CofferInspection
internal import Hummingbird

/// Registers what answers the addresses of pages. The closures read or change the vault, and may block.
struct PageRoutes {
  typealias Handler<Result> = @Sendable (InspectedVault, Pages.Visit) throws -> Result

  let pages: Pages
  let router: RouterGroup<InspectorContext>

  /// Answers with a page.
  func page(_ path: RouterPath, ownerOnly: Bool = false, _ make: @escaping Handler<Page>) {
    router.get(path) { [pages] request, context in
      if ownerOnly { try pages.requireOwner() }
      return try await pages.show(request, context, make)
    }
  }

  /// Answers a form with the next page, or with itself and what has to be changed in it.
  func form(_ path: RouterPath, ownerOnly: Bool = false, _ answer: @escaping Handler<Pages.Answer>) {
    router.post(path) { [pages] request, context in
      if ownerOnly { try pages.requireOwner() }
      return try await pages.answer(request, context, answer)
    }
  }

  /// Changes the vault, and leads to the page that shows the result.
  func change(_ path: RouterPath, _ change: @escaping Handler<PageAddress>) {
    router.post(path) { [pages] request, context in try await pages.change(request, context, change) }
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
  pages.addConflicts(to: routes)
  pages.addAccess(to: routes)
  pages.addRevocation(to: routes)
  pages.addPassphrase(to: routes)
  pages.addSync(to: routes)
}
