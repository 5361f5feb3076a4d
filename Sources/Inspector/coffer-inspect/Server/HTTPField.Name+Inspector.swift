internal import HTTPTypes

extension HTTPField.Name {
  /// Requests that a page sends by itself, which do not count as use.
  static let cofferBackground = named("X-Coffer-Background")
  /// The CSRF token of requests that a script sends.
  static let cofferCSRF = named("X-Coffer-CSRF")
  /// The part of a page that a script asks for.
  static let cofferFragment = named("X-Coffer-Fragment")
  /// What a browser forgets.
  static let clearSiteData = named("Clear-Site-Data")
  /// Where a browser says that a request comes from.
  static let secFetchSite = named("Sec-Fetch-Site")

  private static func named(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("this is no name of a header: \(name)") }
    return name
  }
}
