extension String {
  /// Base64 in the form for URLs, without padding (RFC 4648).
  var base64ForURLs: String { replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") }
}
