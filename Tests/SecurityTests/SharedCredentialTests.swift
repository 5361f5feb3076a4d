internal import Foundation
internal import Security
internal import Synchronization
internal import Testing

@Suite struct SharedCredentialTests {
  @Test func `A password has Apple's form, each kind of character, and is another each time`() throws {
    let form = /[a-zA-Z3-9]{3}(-[a-zA-Z3-9]{3}){3}/
    let sets = ["abcdefghkmnopqrstuvwxy", "ABCDEFGHJKLMNPQRSTUVWXYZ", "3456789"].map { Set($0) }
    var all: Set<String> = []
    var characters: Set<Character> = []
    for _ in 0..<1000 {
      let password = try #require(SecCreateSharedWebCredentialPassword()) as String
      #expect(password.wholeMatch(of: form) != nil, "\(password)")
      let own = Set(password).subtracting("-")
      #expect(sets.allSatisfy { !$0.isDisjoint(with: own) }, "\(password)")
      characters.formUnion(own)
      all.insert(password)
    }
    #expect(all.count == 1000)
    #expect(characters == sets.reduce([]) { $0.union($1) })
  }

  @Test func `Sharing a password with a website is refused through the completion handler, once`() async throws {
    let count = Atomic(0)
    let error = try await withCheckedThrowingContinuation { continuation in
      SecAddSharedWebCredential("example.com" as CFString, "jane" as CFString, "secret" as CFString) { error in
        count.add(1, ordering: .relaxed)
        if let error {
          continuation.resume(returning: (error as NSError).domain + " \(CFErrorGetCode(error)) \(error)")
        } else {
          continuation.resume(throwing: CancellationError())
        }
      }
    }
    #expect(error.hasPrefix("\(NSOSStatusErrorDomain) \(errSecUnimplemented) "))
    #expect(!error.contains("secret"))
    #expect(count.load(ordering: .relaxed) == 1)
  }
}
