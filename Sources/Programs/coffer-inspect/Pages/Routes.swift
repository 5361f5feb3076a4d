internal import Hummingbird

/// Registers the pages. A session exists and the vault is unlocked when a page is called.
func addPages(to router: RouterGroup<InspectorContext>, of inspector: Inspector) {
  router.get("/") { _, context in
    let session = context.session?.csrfToken ?? ""
    return PlainPage.response(
      title: "Overview",
      body: #"<form method="post" action="/lock"><input type="hidden" name="csrf" value="\#(session)">"#
        + "<button>Lock</button></form>")
  }
}
