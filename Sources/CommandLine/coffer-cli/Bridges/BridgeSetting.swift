internal import CofferVault

/// Something that a bridge writes into the configuration of this user.
protocol BridgeSetting {
  /// What it is and where, in words.
  var place: String { get }
  /// What it is set to.
  var wanted: String { get }
  /// Returns what an installation of the bridge has set it to; nil if none has, or if somebody else has.
  func current() throws(VaultError) -> String?
  /// Throws `invalidArgument` if something of somebody else is in its place.
  func checkIsFree() throws(VaultError)
  /// Sets it, in place of what an earlier installation has set.
  func write() throws(VaultError)
  /// Returns what installations have written, in words.
  func present() throws(VaultError) -> [String]
  /// Removes what installations have written, and nothing else.
  func remove() throws(VaultError)
  /// What keeps other programs from using it, if it is installed.
  func findings() throws(VaultError) -> [Finding]
}

extension BridgeSetting {
  func present() throws(VaultError) -> [String] { try current() == nil ? [] : [place] }
  func findings() throws(VaultError) -> [Finding] { [] }
}
