import CofferTestSupport
import Foundation

/// What the host does to the machines.
extension HostileHost {
  /// A kind of harm that changes what one machine sees.
  enum Harm: String, CaseIterable {
    case rollBack, withhold, lose, plant, swap, replay
  }

  /// Changes what a machine sees.
  ///
  /// - Returns: What was done.
  func harm(_ index: Int, using generator: inout SeededGenerator) throws -> String {
    let harm = generator.pick(Harm.allCases)
    let files = try files(shownTo: index)
    switch harm {
    case .rollBack:
      let commit = generator.pick(commits)
      try show(commit, to: index)
      return "rolls back to \(commit.prefix(8))"
    case .lose:
      let ids = files.values.map(\.id).sorted()
      let lost = Set((0..<Int.random(in: 1...3, using: &generator)).map { _ in generator.pick(ids) })
      try lose(lost, for: index)
      return "loses \(files.filter { lost.contains($0.value.id) }.keys.sorted())"
    case .withhold:
      let withheld = withheldPaths(files, using: &generator)
      guard !withheld.isEmpty, withheld.count < files.count else { return "withholds nothing" }
      try replace(files.filter { !withheld.contains($0.key) }, for: index, using: &generator)
      return "withholds \(withheld.sorted())"
    case .plant:
      let (changed, words) = try planted(files, using: &generator)
      try replace(changed, for: index, using: &generator)
      return "plants \(words)"
    case .swap, .replay:
      let paths = files.keys.filter { $0.contains("/") }.sorted()
      guard paths.count > 1 else { return "\(harm) nothing" }
      let (one, other) = (generator.pick(paths), generator.pick(paths))
      var changed = files
      changed[one] = files[other]
      if harm == .swap { changed[other] = files[one] }
      try replace(changed, for: index, using: &generator)
      return "\(harm)s \(one), \(other)"
    }
  }

  /// Shows a machine other files, in a commit on top of those that it has seen or in another history.
  private func replace(_ files: Files, for index: Int, using generator: inout SeededGenerator) throws {
    let parents = generator.chance(80) ? [views[index].tip] : []
    try show(try commit(files, parents: parents), to: index)
  }

  private func withheldPaths(_ files: Files, using generator: inout SeededGenerator) -> Set<String> {
    let paths = files.keys.sorted()
    let segments = paths.filter { $0.hasPrefix("segments/") }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: return Set((0..<3).map { _ in generator.pick(paths) })
    case 1: return Set(segments)
    case 2:
      guard let folder = segments.randomElement(using: &generator)?.split(separator: "/").prefix(2) else { return [] }
      return Set(segments.filter { $0.hasPrefix(folder.joined(separator: "/")) })
    case 3:
      let first = Int.random(in: 1...(lastLogEntry(files) + 1), using: &generator)
      return Set(paths.filter { path in Self.logNumber(path).map { $0 >= first } ?? false })
    case 4: return Set(paths.filter { $0.hasPrefix("log/") })
    case 5: return [generator.pick(["genesis", "root"])]
    default: return segments.randomElement(using: &generator).map { [$0] } ?? []
    }
  }

  /// The number of a log entry by its path.
  static func logNumber(_ path: String) -> Int? {
    path.hasPrefix("log/") ? path.split(separator: "/").last.flatMap { Int($0) } : nil
  }

  private func lastLogEntry(_ files: Files) -> Int { files.keys.compactMap(Self.logNumber).max() ?? 0 }

  /// Returns files with planted ones among them.
  private func planted(_ files: Files, using generator: inout SeededGenerator) throws -> (Files, String) {
    var changed = files
    let vault = files.keys.filter { $0.contains("/") }.sorted()
    let segments = vault.filter { $0.hasPrefix("segments/") }
    let entries = vault.filter { $0.hasPrefix("log/") }
    let nextEntry = "log/\((lastLogEntry(files) + 1) / 64)/\(lastLogEntry(files) + 1)"
    let victim = generator.pick(vault.isEmpty ? ["genesis"] : vault)
    let nextSegment = segments.randomElement(using: &generator).map { path in
      let stream = path.split(separator: "/").prefix(2).joined(separator: "/")
      let number = segments.filter { $0.hasPrefix(stream) }.compactMap { Int($0.split(separator: "/").last ?? "") }
        .max()
      return "\(stream)/\(((number ?? 0) + 1) / 64)/\((number ?? 0) + 1)"
    }
    let junk = File(id: try write(generator.bytes(Int.random(in: 1...9_000, using: &generator))))
    let genuine = File(id: files[generator.pick(vault.isEmpty ? ["genesis"] : vault)]?.id ?? junk.id)
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: changed["hello.txt"] = junk
    case 1: changed[nextEntry] = junk
    case 2: if let nextSegment { changed[nextSegment] = junk }
    case 3: if let nextSegment { changed[nextSegment] = genuine }
    case 4:
      changed["segments/\(hexadecimal(generator.bytes(16)))/0/0"] = segments.first.flatMap { files[$0] } ?? junk
    case 5: if let entry = entries.last { changed[nextEntry] = files[entry] }
    case 6: changed[victim]?.mode = "120000"
    case 7: changed[victim]?.mode = "100755"
    case 8: changed[victim] = File(mode: "160000", id: hexadecimal(generator.bytes(20)))
    case 9:
      changed[victim] = nil
      changed["\(victim)/in the way"] = junk
    case 10:
      let folder = victim.split(separator: "/").dropLast().prefix(Int.random(in: 1...3, using: &generator))
        .joined(separator: "/")
      guard !folder.isEmpty else { break }
      changed = changed.filter { !$0.key.hasPrefix(folder + "/") }
      changed[folder] = junk
    case 11: changed["odd"] = File(mode: "040000", id: try writeHugeFolder())
    case 12: for number in 0..<300 { changed["many-\(number)"] = junk }
    default: changed["a/b/c/d/e/f/g/h/i/j/k/l"] = junk
    }
    let words = changed.filter { files[$0.key] != $0.value }.keys.sorted().prefix(3).joined(separator: ", ")
    return (changed, words)
  }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
