internal import HTTPTypes
internal import Hummingbird

/// A page without a layout. The text is HTML.
enum PlainPage {
  static func response(title: String, body: String, status: HTTPResponse.Status = .ok) -> Response {
    let html = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title) – Coffer</title>
      <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/assets/inspector.css"></head>
      <body><main id="main"><h1>\(title)</h1>\(body)</main></body></html>

      """
    return Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// Returns a text in which no character is markup.
  static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
