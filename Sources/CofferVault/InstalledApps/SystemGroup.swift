internal import CofferPlatform
internal import CofferSystem

/// The groups of the operating system.
package enum SystemGroup {
  /// Returns the identifier of a group; nil if there is none of this name.
  package static func identifier(of name: String) -> UInt32? {
    unsafe getgrnam(name).map { unsafe $0.pointee.gr_gid }
  }

  /// Returns the names of the users whom a group lists as members, in ascending order.
  static func listedMembers(of group: UInt32) -> [String] {
    guard let entry = unsafe getgrgid(group), var member = unsafe entry.pointee.gr_mem else { return [] }
    var names: [String] = []
    while let name = unsafe member.pointee {
      names.append(unsafe String(cString: name))
      unsafe member += 1
    }
    return names.sorted()
  }

  /// Returns the names of the users who are members of a group, or have it as their own, in ascending order.
  package static func members(of group: UInt32) throws(VaultError) -> [String] {
    guard unsafe getgrgid(group) != nil else {
      throw VaultError(
        .itemNotFound, "the system has no group \(group)", recoverySuggestion: "install the app again")
    }
    var names = Set(listedMembers(of: group))
    setpwent()
    defer { endpwent() }
    while let user = unsafe getpwent() {
      if unsafe user.pointee.pw_gid == group { names.insert(unsafe String(cString: user.pointee.pw_name)) }
    }
    return names.sorted()
  }
}
