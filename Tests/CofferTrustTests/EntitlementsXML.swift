import CofferTrust
import Foundation
import Testing

/// Returns an entitlements plist as XML, with the given lists.
func entitlementsXML(
  application: String? = nil, keychain: [String]? = nil, applicationGroups: [String]? = nil, readOnly: [String]? = nil
) -> String {
  var body = ""
  if let application { body += "<key>application-identifier</key><string>\(application)</string>" }
  let lists = [
    (EntitlementsKey.keychainAccessGroups, keychain), (.applicationGroups, applicationGroups),
    (.readOnlyAccessGroups, readOnly),
  ]
  for (key, names) in lists {
    guard let names else { continue }
    body += "<key>\(key.rawValue)</key><array>" + names.map { "<string>\($0)</string>" }.joined() + "</array>"
  }
  return propertyListXML("<dict>" + body + "</dict>")
}

/// Returns a whole XML property list around `body`.
func propertyListXML(_ body: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
  <plist version="1.0">
  \(body)
  </plist>
  """
}

func document(_ xml: String, source: String = "App.entitlements") throws(EntitlementsError) -> EntitlementsDocument {
  try EntitlementsDocument(bytes: Array(xml.utf8), source: source)
}

/// Reads the entitlements in `xml` for the team ABCDEFGHIJ.
func entitlements(
  _ xml: String, bundleID: String? = nil, sourcePrefix: String? = nil
) throws -> Entitlements {
  let team = try #require(TeamID("ABCDEFGHIJ"))
  return try document(xml).expanded(team: team, bundleID: bundleID.flatMap(BundleID.init), sourcePrefix: sourcePrefix)
}

/// Returns the error of reading or expanding `xml`.
func refusal(_ xml: String, bundleID: String? = nil, sourcePrefix: String? = nil) throws -> EntitlementsError {
  try #require(throws: EntitlementsError.self) {
    try entitlements(xml, bundleID: bundleID, sourcePrefix: sourcePrefix)
  }
}
