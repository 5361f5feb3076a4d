internal import CofferInspection
internal import HTTPTypes
internal import Hummingbird

/// The files of the pages, which are part of the program. They contain nothing of a vault and need no session.
enum Asset {
  /// The beginning of their paths.
  static let path = "/assets/"

  private static let files: [String: (type: String, bytes: @Sendable () -> [UInt8])] = [
    // The drawings of CofferInspection, whose classes it declares.
    "access.css": ("text/css; charset=utf-8", { Array(AccessDrawing.styleSheet.utf8) }),
    "enter.js": ("text/javascript; charset=utf-8", { PackageResources.enter_js }),
    "icon.svg": ("image/svg+xml", { PackageResources.icon_svg }),
    "inspector.css": ("text/css; charset=utf-8", { PackageResources.inspector_css }),
    "inspector.js": ("text/javascript; charset=utf-8", { PackageResources.inspector_js }),
  ]

  /// Returns the file for the path of a request, as it was sent. Nothing but the exact names leads anywhere.
  static func response(of path: Substring) throws -> Response {
    guard let file = files[String(path.dropFirst(Self.path.count))] else { throw HTTPError(.notFound) }
    return Response(
      status: .ok, headers: [.contentType: file.type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes())))
  }
}
