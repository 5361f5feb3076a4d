internal import Hummingbird

/// The page of a browser without a session, which gives the one-time token. It contains nothing of the vault.
enum EntryPage {
  static func response(isTokenWrong: Bool) -> Response {
    let note = isTokenWrong ? "This address was used already or is wrong. Start coffer inspect again." : ""
    return PlainPage.response(
      title: "Open the vault",
      body: """
        <p id="entry-status" role="status">\(note)</p>
        <form id="entry" method="post" action="/session">
        <label>One-time code, after the # of the address <input name="token" autocomplete="off" required></label>
        <button>Open</button></form><script src="/assets/enter.js"></script>
        """, status: isTokenWrong ? .forbidden : .ok)
  }
}
