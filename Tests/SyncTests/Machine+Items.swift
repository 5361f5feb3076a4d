import CofferTestSupport
import Foundation

/// The app that reads and writes the tests' items.
let app = "com.example.photo.pro"

extension Machine {
  func set(_ account: String, _ value: String) throws {
    try coffer("set", "service", account, "--app", app, input: value)
  }

  func get(_ account: String) throws -> String { try coffer("get", "service", account, "--app", app) }

  /// Accounts and values of all items that the app sees in its own group.
  func values() throws -> [String: String] {
    struct Row: Decodable {
      let service: String
      let account: String
    }
    let list = try coffer("list", "--app", app, "--json")
    var values: [String: String] = [:]
    for row in try JSONDecoder().decode([Row].self, from: Data(list.utf8)) where row.service == "service" {
      values[row.account] = try get(row.account)
    }
    return values
  }

  /// Returns one field of `status --json` as text.
  func status(_ field: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(coffer("status", "--json").utf8)) as? [String: Any]
    return object?[field].map { "\($0)" } ?? "none"
  }
}
