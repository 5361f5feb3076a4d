package import CofferFormat
package import CofferStore
package import CofferTrust
internal import CofferCrypto

/// What other machines' segments state of the membership log, and the log here does not confirm. Each claim is kept
/// until the log confirms it: a host can show segments and withhold the entries that their writers have seen.
package struct LogClaims: Hashable, Sendable {
  /// A statement of one machine.
  package struct Claim: Hashable, Coded {
    /// The machine that states it, by the signature of its segment.
    package let device: DeviceID
    package let position: LogPosition
    /// True if the log here has another entry at this position; false if it is shorter.
    package let isContradiction: Bool
    /// Whether the owner has decided to go on despite it.
    package fileprivate(set) var isAcknowledged: Bool

    fileprivate init(device: DeviceID, position: LogPosition, isContradiction: Bool, isAcknowledged: Bool = false) {
      self.device = device
      self.position = position
      self.isContradiction = isContradiction
      self.isAcknowledged = isAcknowledged
    }

    package func write(to writer: inout ByteWriter) {
      writer.bool(isContradiction)
      writer.bool(isAcknowledged)
      device.write(to: &writer)
      position.write(to: &writer)
    }

    package init(from reader: inout ByteReader) throws(FormatError) {
      isContradiction = try reader.bool("contradiction")
      isAcknowledged = try reader.bool("acknowledged")
      device = try DeviceID(from: &reader)
      position = try LogPosition(from: &reader)
    }
  }

  /// The farthest position of each machine beyond the end of the log.
  private var ahead: [DeviceID: Claim] = [:]
  /// The last position of each machine at which the log here has another entry.
  private var other: [DeviceID: Claim] = [:]

  /// Reads the claims from the settings. A setting that is not readable counts as empty.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> LogClaims {
    var claims = LogClaims()
    for claim in try access.value(.logClaims, as: [Claim].self) ?? [] {
      if claim.isContradiction { claims.other[claim.device] = claim } else { claims.ahead[claim.device] = claim }
    }
    return claims
  }

  /// The claims in ascending order of machine, with those that were acknowledged.
  private var all: [Claim] {
    (Array(ahead.values) + Array(other.values)).sorted {
      ($0.device, $0.position.sequence) < ($1.device, $1.position.sequence)
    }
  }

  /// The claims that the owner has not acknowledged, in ascending order of machine.
  package var open: [Claim] { all.filter { !$0.isAcknowledged } }

  /// The number of the last log entry that a claim names and the log here does not have; 0 without such a claim.
  package var farthest: UInt64 { ahead.values.map(\.position.sequence).max() ?? 0 }

  package var isEmpty: Bool { ahead.isEmpty && other.isEmpty }

  /// Acknowledges all claims: membership may be changed despite them, and they are not reported any more.
  package mutating func acknowledge() {
    for device in ahead.keys { ahead[device]?.isAcknowledged = true }
    for device in other.keys { other[device]?.isAcknowledged = true }
  }

  /// Adds what a machine states, unless the log here confirms it: then the machine's claims up to this position are
  /// settled. Positions of more machines than a segment can name streams are ignored. The log must contain the machine.
  package mutating func add(
    _ position: LogPosition, by device: DeviceID, in access: borrowing some StoreAccess & ~Copyable,
    branches: LogBranches
  ) throws {
    try add(Claim(device: device, position: position, isContradiction: false), in: access, branches)
  }

  private mutating func add(
    _ claim: Claim, in access: borrowing some StoreAccess & ~Copyable, _ branches: LogBranches
  ) throws {
    let device = claim.device
    let position = claim.position
    guard branches.chain.mayClaim(device) else { return }
    let isKnown = ahead[device] != nil || other[device] != nil
    guard isKnown || ahead.count + other.count < Limits.seenStreams else { return }
    let comparison = try access.logComparison(with: position, branches)
    if comparison == .held {
      if let known = ahead[device], known.position.sequence <= position.sequence { ahead[device] = nil }
      if let known = other[device], known.position.sequence <= position.sequence { other[device] = nil }
      return
    }
    let known = comparison == .missing ? ahead[device] : other[device]
    if let known, known.position.sequence >= position.sequence { return }
    let kept = Claim(
      device: device, position: position, isContradiction: comparison == .different,
      isAcknowledged: claim.isAcknowledged)
    if comparison == .missing { ahead[device] = kept } else { other[device] = kept }
  }

  /// Compares every claim with the log again, and drops those that it confirms.
  package mutating func update(in access: borrowing some StoreAccess & ~Copyable, branches: LogBranches) throws {
    let claims = all
    ahead = [:]
    other = [:]
    for claim in claims { try add(claim, in: access, branches) }
  }

  /// Writes the claims to the settings.
  package func save(to writer: borrowing StoreWriter) throws {
    try writer.set(.logClaims, to: all)
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Compares a position with the log and its branches.
  fileprivate func logComparison(with position: LogPosition, _ branches: LogBranches) throws -> StreamComparison {
    if position.sequence == 0 { return position.hash == branches.chain.genesis.hash ? .held : .different }
    let own = try logEntry(position.sequence)
    if let own, try LogEntry(bytes: own.entry).hash == position.hash { return .held }
    // Root knew it when it ended the fork. A new machine has nothing else of that branch.
    if branches.chain.hasRejected(position.hash) { return .held }
    if let rival = branches.rivals[position.hash] {
      // A claim for a branch of the fork adds nothing to it. That a machine follows a withdrawn branch must be named.
      return rival.counts || rival.contains(.rejected) ? .held : .different
    }
    // An entry that is not published is a draft: it gives way to the one that the other machine has seen.
    return own?.isPublished == true ? .different : .missing
  }
}
