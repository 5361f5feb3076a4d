package import Coffer
internal import CofferFormat

extension InternetPassword {
  /// What tells the passwords of one account at a server apart, as lists show it: "IMAPS, port 993"; nil if nothing of it is
  /// set.
  package var detail: String? { ItemNames(_fields.attributes, of: .internetPassword).detail }
}
