internal import Hummingbird

/// The page of a browser without a session, which gives the one-time code. It contains nothing of the vault.
enum EntryPage {
  /// With `isTokenWrong`, a code was given that opens nothing.
  static func response(isTokenWrong: Bool) -> Response {
    let words: HTML =
      isTokenWrong
      ? "This address was used already or is wrong. Start \(code { "coffer inspect" }) again."
      : "\(code { "coffer inspect" }) prints an address that opens this page once."
    return .page(
      Frame.plain(
        title: "Open the vault", script: PageAddress("assets", "enter.js"),
        content: joined {
          h1 { "Open the vault" }
          p(.id("entry-status"), .role("status")) { words }
          form(.id("entry"), .method(.post), .action(PageAddress("session")), .class("stack")) {
            field("One-time code", "token", hint: "The part of the address after the # sign.") { described in
              input(
                .id("token"), .name("token"), .autocomplete("off"), .noSpellCheck, .noCapitals, .required(), described)
            }
            div(.class("actions")) { submit("Open", style: "primary") }
          }
        }), status: isTokenWrong ? .forbidden : .ok)
  }
}
