package import CofferBus

/// What the bus says about the program that has opened a connection: the kernel has told it when the program connected.
package struct CallerCredentials: Sendable {
  /// The unique name of the connection.
  package let connection: String
  package let user: UInt32
  /// The process; nil if the bus does not say. Its number can be another process's by now.
  package let process: Int32?
  /// The groups of the process when it connected, with those of a setgid program.
  package let groups: [UInt32]
  /// The label of the system's security module, such as `snap.firefox.firefox (enforce)`; nil if there is none.
  package let label: String?
  /// A descriptor of the process (pidfd); nil if the bus does not give one.
  package let processHandle: BusDescriptor?

  package init(
    connection: String, user: UInt32, process: Int32? = nil, groups: [UInt32] = [], label: String? = nil,
    processHandle: BusDescriptor? = nil
  ) {
    self.connection = connection
    self.user = user
    self.process = process
    self.groups = groups
    self.label = label
    self.processHandle = processHandle
  }

  /// Reads the answer to `GetConnectionCredentials`; nil if it does not name the user.
  init?(connection: String, answer: BusValue) {
    guard case .shortNumber(let user)? = answer["UnixUserID"] else { return nil }
    self.connection = connection
    self.user = user
    if case .shortNumber(let number)? = answer["ProcessID"] { process = Int32(exactly: number) } else { process = nil }
    groups = (answer["UnixGroupIDs"]?.elements ?? []).compactMap {
      if case .shortNumber(let group) = $0 { group } else { nil }
    }
    // A NUL ends the text.
    if case .bytes(let bytes)? = answer["LinuxSecurityLabel"] {
      label = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    } else {
      label = nil
    }
    if case .descriptor(let handle)? = answer["ProcessFD"] { processHandle = handle } else { processHandle = nil }
  }
}
