extension Entitlements {
  /// Returns these rights together with those of an earlier registration of the app, which an update of the app must
  /// not take away without being asked for. The order is that of the new plist, and the default group its.
  package func keeping(_ earlier: Entitlements) -> Entitlements {
    let kept = earlier.groups.filter { old in
      access(to: old.name).map { $0 < old.access } ?? true
    }
    let names = Set(kept.map(\.name))
    // The app's own group is added by the initialiser.
    let all = groups.filter { !names.contains($0.name) } + kept
    func under(_ key: EntitlementsKey) -> [EntitledGroup] { all.filter { $0.key == key } }
    return Entitlements(
      applicationID: applicationID, keychainGroups: under(.keychainAccessGroups),
      others: under(.applicationGroups) + under(.readOnlyAccessGroups))
  }
}
