internal import Hummingbird

/// The last page, when the program ends.
enum EndPage {
  static func response(_ reason: String) -> Response {
    PlainPage.response(title: "Locked", body: "<p>\(PlainPage.escape(reason))</p>")
  }
}
