internal import CofferPlatform
internal import CofferSystem

/// The groups of the operating system.
package enum SystemGroup {
  /// Returns the identifier of a group; nil if there is none of this name, or if that cannot be determined. Threads may
  /// call it at once.
  package static func identifier(of name: String) -> UInt32? {
    try? unsafe entry("find the group \(name)") { record, buffer, size, found in
      unsafe getgrnam_r(name, &record, buffer, size, &found)
    } read: {
      unsafe $0.gr_gid
    }
  }

  /// Returns the names of the users whom a group lists as members, in ascending order; nil if there is no such group.
  /// Throws `io` if that cannot be determined.
  ///
  /// Threads may call it at once: the agent examines each client on a thread of its own.
  static func listedMembers(of identifier: UInt32) throws(VaultError) -> [String]? {
    try unsafe entry("read the members of the group \(identifier)") { record, buffer, size, found in
      unsafe getgrgid_r(identifier, &record, buffer, size, &found)
    } read: { entry in
      guard var member = unsafe entry.gr_mem else { return [] }
      var names: [String] = []
      while let name = unsafe member.pointee {
        names.append(unsafe String(cString: name))
        unsafe member += 1
      }
      return names.sorted()
    }
  }

  /// Looks a group up, and returns what `read` makes of it; nil if there is none.
  private static func entry<Value>(
    _ action: String,
    _ find: (
      _ record: inout group, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int,
      _ found: inout UnsafeMutablePointer<group>?
    ) -> Int32,
    read: (group) -> Value
  ) throws(VaultError) -> Value? {
    var size = 4096
    while true {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { unsafe buffer.deallocate() }
      var record = unsafe group()
      var found: UnsafeMutablePointer<group>?
      let number = unsafe find(&record, buffer, size, &found)
      if number == ERANGE, size < maximumByteCount {
        size *= 4
        continue
      }
      guard number == 0 || number == ENOENT else { throw systemFailure(action, number: number) }
      guard let found = unsafe found else { return nil }
      return unsafe read(found.pointee)
    }
  }

  /// Returns why a process with a group is not for that reason one of the group's programs, as a clause; nil if it is.
  package static func weakness(of identifier: UInt32) -> String? {
    if identifier == 0 { return "it is root's own group" }
    if CurrentProcess.groups.contains(identifier) { return "all programs of this user have it" }
    guard let members = try? listedMembers(of: identifier) else { return "the system does not show its members" }
    return members.isEmpty ? nil : "users are members of it: \(members.joined(separator: ", "))"
  }

  /// The largest size of a group's entry.
  private static let maximumByteCount = 16 << 20

  /// Returns the names of the users who are members of a group, or have it as their own, in ascending order.
  package static func members(of group: UInt32) throws(VaultError) -> [String] {
    guard let listed = try listedMembers(of: group) else {
      throw VaultError(
        .itemNotFound, "the system has no group \(group)", recoverySuggestion: "install the app again")
    }
    var names = Set(listed)
    setpwent()
    defer { endpwent() }
    while let user = unsafe getpwent() {
      if unsafe user.pointee.pw_gid == group { names.insert(unsafe String(cString: user.pointee.pw_name)) }
    }
    return names.sorted()
  }
}
