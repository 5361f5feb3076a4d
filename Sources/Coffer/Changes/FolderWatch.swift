internal import Dispatch
internal import Foundation

/// Tells when a file of a folder is written, by this process or another. The kernel says so; nothing is polled.
///
/// Unchecked: its properties never change, and a dispatch source may be used from any thread.
final class FolderWatch: @unchecked Sendable {
  #if os(Linux)
    private let source: any DispatchSourceRead
  #else
    private let sources: [any DispatchSourceFileSystemObject]
  #endif

  /// Calls `notify`, on some thread, after writes to files whose names begin with `prefix`. One call may stand for many writes.
  init(folder: String, prefix: String, notify: @escaping @Sendable () -> Void) throws(VaultError) {
    #if os(Linux)
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw systemFailure("watch \(folder)") }
      let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
      guard unsafe inotify_add_watch(descriptor, folder, events) >= 0 else {
        let error = systemFailure("watch \(folder)")
        close(descriptor)
        throw error
      }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        if Self.drain(descriptor, prefix: prefix) { notify() }
      }
      source.setCancelHandler { close(descriptor) }
      source.activate()
    #else
      // Here the kernel tells of one file each; the write-ahead log may be made anew, which the folder tells.
      var sources: [any DispatchSourceFileSystemObject] = []
      for path in [folder] + ["", "-wal"].map({ "\(folder)/\(prefix)\($0)" }) {
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend], queue: .global(qos: .userInitiated))
        source.setEventHandler(handler: notify)
        source.setCancelHandler { close(descriptor) }
        source.activate()
        sources.append(source)
      }
      guard !sources.isEmpty else { throw systemFailure("watch \(folder)") }
      self.sources = sources
    #endif
  }

  deinit {
    #if os(Linux)
      source.cancel()
    #else
      for source in sources { source.cancel() }
    #endif
  }

  #if os(Linux)
    /// Reads what the kernel has to tell; true where a file that matters was among it, or where it had too much to tell.
    private static func drain(_ descriptor: Int32, prefix: String) -> Bool {
      var isConcerned = false
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return isConcerned }
        var offset = 0
        let headerByteCount = MemoryLayout<inotify_event>.size
        while offset + headerByteCount <= count {
          let event = unsafe buffer.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          }
          let nameStart = offset + headerByteCount
          let nameEnd = min(nameStart + Int(event.len), count)
          let name = String(decoding: buffer[nameStart..<nameEnd].prefix { $0 != 0 }, as: UTF8.self)
          if name.hasPrefix(prefix) || event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isConcerned = true }
          offset = nameEnd
        }
      }
    }
  #endif
}
