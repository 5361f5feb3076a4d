internal import CofferCrypto
internal import CofferFormat
internal import CofferGit

/// The paths of a vault's objects in the repository, and its branches. FORMAT.md specifies them.
enum RemoteLayout {
  /// Returns the full name of an epoch's branch.
  static func reference(of branch: EpochBranch) -> String { "refs/heads/\(branch.name)" }

  /// The file with which an epoch ends, and the same bytes at the beginning of the next one.
  static let closed = "closed"
  static let opened = "opened"
  /// The branch with the README that the host's web page shows.
  static let readmeBranch = "refs/heads/main"
  /// The prefix of the names that the branches of a remote have in a clone that git has made.
  static let clonedPrefix = "refs/remotes/origin/"
  /// The reference in the cache repository to the branch that this machine follows.
  static let cached = "refs/coffer/remote"
  /// The prefix of the references in the cache repository to the branches of other epochs, while they are read.
  static let cachedBranches = "refs/coffer/branches/"

  /// The reference in the cache repository to the branch of an epoch, while it is read.
  static func cached(_ branch: EpochBranch) -> String { "\(cachedBranches)\(branch.name)" }

  /// The README: the same bytes in every vault.
  static let readme = Array(
    """
    # A Coffer vault

    This repository carries a vault of Coffer, a keychain with access groups that follows its owner from machine to
    machine. Everything in it is encrypted. The branches named vault-… are written by programs:
    please do not edit, merge or delete them. To use the vault on another machine, run `coffer clone` with this
    repository's URL and the vault key.

    """.utf8)

  private static let bucketSize: UInt64 = 64

  /// The folders of checkpoints, of the snapshot, and of the slots of roots after the first.
  private static let checkpoints = "checkpoints"
  private static let snapshot = "snapshot"
  static let laterRootSlots = "roots"

  /// The prefix of the names of the branches with the requests for invitations.
  static let invitationPrefix = "refs/heads/invite-"

  /// The branch with one request for an invitation, and the answer. Each request has a branch of its own: a new machine
  /// needs no right to the vault's branch, and nothing that it pushes is a part of the vault.
  struct InvitationBranch: Hashable {
    let invitation: InvitationID
    /// See ``InvitationKey/label(of:)``.
    let label: Bytes16

    static let requestPath = "request"
    static let answerPath = "answer"

    init(invitation: InvitationID, label: Bytes16) {
      self.invitation = invitation
      self.label = label
    }

    /// Parses the full name of a branch. Returns nil for another one.
    init?(_ name: String) {
      guard name.hasPrefix(invitationPrefix) else { return nil }
      let parts = name.dropFirst(invitationPrefix.count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let id = bytes(hexadecimal: parts[0]).flatMap({ Bytes16($0) }),
        let label = bytes(hexadecimal: parts[1]).flatMap({ Bytes16($0) })
      else { return nil }
      self.init(invitation: InvitationID(id), label: label)
    }

    private var suffix: String { "\(invitation)-\(label.hex)" }

    /// The full name.
    var name: String { invitationPrefix + suffix }

    /// The reference in the cache repository that has the branch for a moment.
    var cached: String { "refs/coffer/invite-\(suffix)" }
  }

  /// Whether objects of a vault can be below a path.
  static func isFolder(_ path: String) -> Bool {
    let parts = FileTree.names(in: path)
    func isBucket(_ name: String) -> Bool { UInt64(name).map { String($0) == name } ?? false }
    switch (parts.first, parts.count) {
    case ("lists", 1), ("log", 1), (laterRootSlots, 1), ("segments", 1), (checkpoints, 1), (snapshot, 1): return true
    case ("log", 2): return isBucket(parts[1])
    case ("segments", 2): return StreamID(hexadecimal: parts[1]) != nil
    case ("segments", 3): return StreamID(hexadecimal: parts[1]) != nil && isBucket(parts[2])
    default: return false
    }
  }

  /// An object of the vault, by its path in the repository.
  enum Place: Hashable {
    case genesis
    /// The slot of the first root.
    case rootSlot
    case laterRootSlot(Bytes32)
    case logEntry(UInt64)
    case recordList(Bytes32)
    case segment(StreamID, UInt64)
    case checkpoint(UInt32)
    /// A chunk of the snapshot.
    case chunk(UInt32)
    /// The closing of this epoch, and of the one before.
    case closed
    case opened

    /// Parses a path. Returns nil for a path that no object has.
    init?(_ path: String) {
      let parts = FileTree.names(in: path)
      switch (parts.first, parts.count) {
      case ("genesis", 1): self = .genesis
      case ("root", 1): self = .rootSlot
      case ("log", 3):
        guard let sequence = UInt64(parts[2]), sequence > 0 else { return nil }
        self = .logEntry(sequence)
      case ("lists", 2):
        guard let hash = Self.hash(parts[1]) else { return nil }
        self = .recordList(hash)
      case (RemoteLayout.laterRootSlots, 2):
        guard let hash = Self.hash(parts[1]) else { return nil }
        self = .laterRootSlot(hash)
      case ("segments", 4):
        guard let stream = StreamID(hexadecimal: parts[1]), let number = UInt64(parts[3]) else { return nil }
        self = .segment(stream, number)
      case (RemoteLayout.checkpoints, 2):
        guard let epoch = UInt32(parts[1]) else { return nil }
        self = .checkpoint(epoch)
      case (RemoteLayout.snapshot, 2):
        guard let number = UInt32(parts[1]) else { return nil }
        self = .chunk(number)
      case (RemoteLayout.closed, 1): self = .closed
      case (RemoteLayout.opened, 1): self = .opened
      default: return nil
      }
      // One object has one path.
      guard self.path == path else { return nil }
    }

    private static func hash(_ text: String) -> Bytes32? { bytes(hexadecimal: text).flatMap { Bytes32($0) } }

    var path: String {
      switch self {
      case .genesis: "genesis"
      case .rootSlot: "root"
      case .logEntry(let sequence): "log/\(sequence / bucketSize)/\(sequence)"
      case .recordList(let hash): "lists/\(hash.hex)"
      case .laterRootSlot(let hash): "\(laterRootSlots)/\(hash.hex)"
      case .segment(let stream, let number): "segments/\(stream)/\(number / bucketSize)/\(number)"
      case .checkpoint(let epoch): "\(checkpoints)/\(epoch)"
      case .chunk(let number): "\(snapshot)/\(number)"
      case .closed: RemoteLayout.closed
      case .opened: RemoteLayout.opened
      }
    }
  }
}

extension StreamID {
  fileprivate init?(hexadecimal text: String) {
    guard let raw = bytes(hexadecimal: text).flatMap({ Bytes16($0) }) else { return nil }
    self.init(raw)
  }
}
