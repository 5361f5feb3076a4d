internal import Coffer
package import CofferTrust

extension EntitledGroup {
  /// Returns which part of a plist gives an app the group, as a clause: "the plist lists it under
  /// keychain-access-groups, which gives read and write access". `plist` is what the plist is called.
  package func origin(in plist: String = "the plist") -> String {
    switch key {
    case .applicationIdentifier: "it is the app's own group, which its application-identifier implies"
    case .readOnlyAccessGroups: "\(plist) lists it under \(key.rawValue), which gives read access"
    case .keychainAccessGroups, .applicationGroups:
      "\(plist) lists it under \(key.rawValue), which gives read and write access"
    }
  }
}
