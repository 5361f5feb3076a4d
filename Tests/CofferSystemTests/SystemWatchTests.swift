#if os(Linux)
  import CofferSystem
  import CofferTestSupport
  import Glibc
  import Synchronization
  import Testing

  @Suite struct SystemWatchTests {
    /// The kernel reports the end of a suspension in the same way.
    @Test(.enabled(if: geteuid() == 0, "only root can set the clock"))
    func `A program hears of each jump of the clock, and of nothing else`() throws {
      let count = Atomic(0)
      let watch = try #require(SystemWatch.clock { count.add(1, ordering: .relaxed) })
      for jumps in 1...2 {
        #expect(count.load(ordering: .relaxed) < jumps)
        var now = timespec()
        // Set to what it is.
        #expect(unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 && clock_settime(CLOCK_REALTIME, &now) == 0)
        try waitUntil("the jump is reported") { count.load(ordering: .relaxed) >= jumps }
      }
      extendLifetime(watch)
    }
  }
#endif
