import CofferSystem
import Testing

@Suite struct ParentFolderTests {
  @Test(arguments: [
    ("k", "."), ("key", "."), ("key/", "."), ("", "."), (".", "."), ("/k", "/"), ("//k", "/"), ("/", "/"), ("a/k", "a"),
    ("a//k", "a"), ("/a/b/key", "/a/b"), ("/a/b/", "/a"),
  ])
  func `The folder of a path is found, also of a name of one character`(path: String, folder: String) {
    #expect(path.parentFolder == folder)
  }
}
