import CofferSystem
import Testing

@Suite struct SecretServiceRecordTests {
  @Test func `Equal records have the same bytes, and are read again`() throws {
    let one = SecretServiceRecord(attributes: ["b": "2", "a": "é/\"\\\n"], contentType: "text/plain")
    let other = SecretServiceRecord(attributes: ["a": "é/\"\\\n", "b": "2"])
    #expect(one.bytes == other.bytes)
    #expect(SecretServiceRecord(bytes: one.bytes) == other)
    #expect(String(decoding: one.bytes, as: UTF8.self).hasPrefix(#"{"attributes":{"a":"#))
    let binary = SecretServiceRecord(attributes: [:], contentType: "application/octet-stream", collection: "c1")
    #expect(SecretServiceRecord(bytes: binary.bytes) == binary && binary.contentType != nil)
  }

  @Test func `What other programs keep in the attribute is no record`() {
    for text in ["", "x", "{}", "[]", #"{"attributes":1}"#, #"{"attributes":{"a":1}}"#, "{\"attributes\":{}}\u{0}x"] {
      #expect(SecretServiceRecord(bytes: Array(text.utf8)) == nil, "\(text)")
    }
    let large = #"{"attributes":{"a":""# + String(repeating: "x", count: 1 << 20) + #""}}"#
    #expect(SecretServiceRecord(bytes: Array(large.utf8)) == nil)
  }

  @Test func `The account and the service are chosen from the names that programs use`() {
    let attributes = ["xdg:schema": "org.git.Password", "user": "jane", "server": "example.com", "protocol": "https"]
    #expect(SecretServiceRecord.accountName(in: attributes) == "user")
    #expect(SecretServiceRecord.serviceName(in: attributes) == "server")
    #expect(SecretServiceRecord.accountName(in: ["user": ""]) == nil && SecretServiceRecord.serviceName(in: [:]) == nil)
  }
}
