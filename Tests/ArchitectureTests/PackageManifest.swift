import CofferTestSupport
import Foundation

/// The targets of the package, as SwiftPM reads them from `Package.swift`.
struct PackageManifest {
  struct Target {
    let name: String
    let type: String
    /// The names of targets and products that the target depends on directly.
    let dependencies: Set<String>
    /// The packages that a build without any trait fetches for the target.
    let packages: Set<String>
  }

  let targets: [String: Target]

  /// The manifest, which takes a second to evaluate and is read once.
  static func load() throws -> PackageManifest { try manifest.get() }

  private static let manifest = Result { try read() }

  /// Reads the manifest. The scratch folder is not the build's, which a running `swift test` locks.
  private static func read() throws -> PackageManifest {
    let scratch = try TemporaryDirectory()
    let json = try Command.run(
      "swift", "package", "--scratch-path", scratch.path("scratch"), "dump-package", in: DocumentationPage.root)
    let start = try json.firstIndex(of: "{").orThrow("dump-package printed no JSON")
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(json[start...].utf8))
    let targets = manifest.targets.map { target in
      Target(
        name: target.name, type: target.type, dependencies: Set(target.dependencies.compactMap(\.name)),
        packages: Set(target.dependencies.filter { !$0.needsTrait }.compactMap(\.package)))
    }
    return PackageManifest(targets: Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) }))
  }

  /// Returns every target and product that a target depends on, directly or not.
  func closure(of name: String) -> Set<String> {
    var found: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      for dependency in targets[next]?.dependencies ?? [] where found.insert(dependency).inserted {
        open.append(dependency)
      }
    }
    return found
  }

  /// Returns the targets that depend on a target or product directly, without tests and benchmarks.
  func importers(of name: String, among names: some Sequence<String>) -> Set<String> {
    Set(names.filter { targets[$0]?.dependencies.contains(name) ?? false })
  }

  private struct Manifest: Decodable {
    let targets: [ManifestTarget]
  }

  private struct ManifestTarget: Decodable {
    let name: String
    let type: String
    let dependencies: [Dependency]
  }

  /// A dependency: an object with one key, `byName` or `product`, whose value begins with the name. That of a product
  /// has the name of its package next, and its condition last.
  private struct Dependency: Decodable {
    let name: String?
    let package: String?
    let needsTrait: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let key = container.allKeys.first
      let values = try key.map { try container.decode([Value].self, forKey: $0) }
      name = values?.first?.text
      package = key?.stringValue == "product" ? values?.dropFirst().first?.text : nil
      needsTrait = values?.last?.traits.isEmpty == false
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// A name, a condition, or anything else that the list has.
  private struct Value: Decodable {
    private struct Condition: Decodable {
      let traits: [String]?
    }

    let text: String?
    let traits: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try? container.decode(String.self)
      traits = (try? container.decode(Condition.self))?.traits ?? []
    }
  }
}

struct MissingValue: Error, CustomStringConvertible {
  let description: String
}

extension Optional {
  /// Returns the value, or throws an error with a description.
  func orThrow(_ description: String) throws -> Wrapped {
    guard let self else { throw MissingValue(description: description) }
    return self
  }
}
