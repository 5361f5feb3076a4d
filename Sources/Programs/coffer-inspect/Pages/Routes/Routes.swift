internal import Hummingbird

/// Registers the pages with the routes of requests with a session. The vault is unlocked when a page is called.
func addPages(to router: RouterGroup<InspectorContext>, of inspector: Inspector) {
  let pages = Pages(inspector: inspector)
  pages.addLists(to: router)
  pages.addCreation(to: router)
  pages.addItems(to: router)
  pages.addItemForms(to: router)
  pages.addConflicts(to: router)
  pages.addAccess(to: router)
  pages.addRevocation(to: router)
  pages.addPassphrase(to: router)
  pages.addSync(to: router)
}
