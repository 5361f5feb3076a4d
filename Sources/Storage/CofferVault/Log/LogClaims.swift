internal import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferSystem
package import CofferTrust

/// What other machines' segments state of the membership log, and the log here does not confirm. Each claim is kept
/// until the log confirms it: a host can show segments and withhold the entries that their writers have seen.
package struct LogClaims: Hashable, Sendable {
  /// A statement of one machine.
  package struct Claim: Hashable, Fielded {
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

    package init(_ known: Claim?, _ coder: inout FieldCoder) throws(FormatError) {
      isContradiction = try coder.bool(known?.isContradiction, "contradiction")
      isAcknowledged = try coder.bool(known?.isAcknowledged, "acknowledged")
      device = try coder.id(known?.device, "identifier")
      position = try LogPosition(known?.position, &coder)
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
  /// confirmed. Positions of more machines than a segment can name streams are ignored. The log must contain the
  /// machine.
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
    if let competing = branches.competingEntries[position.hash] {
      // A claim for a branch of the fork adds nothing to it. That a machine follows a withdrawn branch must be named.
      return competing.counts || competing.contains(.rejected) ? .held : .different
    }
    // An entry that is not published gives way to the one that the other machine has seen, or makes a fork with it.
    return own?.isPublished == true ? .different : .missing
  }
}

extension LogClaims.Claim {
  /// What the claim means for the remote, as a clause whose subject is the remote.
  package func words(in membership: Membership) -> String {
    let machine = membership.name(of: device)
    return isContradiction
      ? "shows another entry \(position.sequence) of the membership log than \(machine) has seen: the host shows the machines different logs, or \(machine) is not honest"
      : "lacks entry \(position.sequence) of the membership log, which \(machine) has seen there"
  }
}

extension LogClaims {
  /// Returns the error for a change of membership that has to wait until the log confirms what other machines have
  /// seen; nil if nothing is open. `machines` are those that the change removes: a machine must not prevent that by
  /// what it claims.
  package func error(in membership: Membership, except machines: Set<DeviceID> = []) -> VaultError? {
    guard let claim = open.first(where: { !machines.contains($0.device) }) else { return nil }
    let machine = membership.name(of: claim.device)
    let what =
      claim.isContradiction
      ? "another entry \(claim.position.sequence) of the membership log than this machine"
      : "entry \(claim.position.sequence) of the membership log, which this machine does not have"
    return VaultError(
      .integrity, "\(machine) has seen \(what): a change now could fork the log",
      recoverySuggestion:
        "compare `coffer status` on both machines and sync again; if \(machine) cannot be trusted, remove it with: coffer device revoke NAME, or go on with --despite-claims"
    )
  }
}

extension Membership {
  /// Returns the name that the owner gave a machine.
  package func name(of device: DeviceID) -> String {
    devices[device]?.name.sanitizedForTerminal() ?? "an unknown machine"
  }
}

extension StoreWriter {
  /// Checks, before a change of membership, that no other machine has seen entries of the log that this one lacks.
  /// Throws `integrity` if one has, unless the change removes it. With `despite`, the owner has decided to go on: the
  /// claims are then acknowledged, and the next push of the log replaces files that cannot be verified in its place.
  package func checkClaims(
    in membership: Membership, despite: Bool, except machines: Set<DeviceID> = []
  ) throws {
    var claims = try LogClaims.load(from: self)
    if despite {
      claims.acknowledge()
      try claims.save(to: self)
      try allowLogFork()
    } else if let error = claims.error(in: membership, except: machines) {
      throw error
    }
  }

  /// Lets the next push of the log go on whatever other machines claim, and replace files that cannot be verified in
  /// its place. The claims stay reported.
  package func allowLogFork() throws { try setSetting(.allowingLogFork, [1]) }
}
